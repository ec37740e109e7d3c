//go:build !broken_d

package shard

import "time"

// inForce tells whether a lease still allows to serve, by its age on both clocks.
func inForce(mono, wall, length time.Duration) bool {
	return mono < length && wall < length && (mono-wall).Abs() < clockSkew
}
