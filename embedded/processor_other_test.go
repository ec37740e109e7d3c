//go:build !unix

package embedded

import "time"

// processorTime is not known here.
func processorTime() time.Duration { return 0 }
