package sim

import (
	"errors"
	"hash/fnv"
	"sync"
	"syscall"

	"github.com/jetseek/jetseek/engine/vfs"
)

// failOneIn is how many calls to a folder there are for one that fails, while some do.
const failOneIn = 4

var errDisk = errors.New("the disk failed")

// disk is where a member has its index, in memory. Its files outlive the member's lives.
type disk struct {
	rng *lockedRand

	mu      sync.Mutex // guards what follows
	files   *vfs.Memory
	trouble FaultKind // Full, Fail, or 0
}

func newDisk(seed uint64, id string) *disk {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // it never fails
	d := &disk{rng: newLockedRand(seed ^ h.Sum64())}
	d.put(vfs.NewMemory())
	return d
}

// put lets a member's next life find these files.
func (d *disk) put(files *vfs.Memory) {
	files.Fault = d.fault
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files = files
}

// folder gives the files as they are, as a new life finds them.
func (d *disk) folder() *vfs.Memory {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files
}

// set begins trouble; 0 ends it.
func (d *disk) set(trouble FaultKind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trouble = trouble
}

// left gives what a crash of a kind leaves of the files.
func (d *disk) left(kind FaultKind) *vfs.Memory {
	now := d.folder()
	if kind == Power {
		return now.Crash()
	}
	left := now.Copy()
	if kind != Rot {
		return left
	}
	names, _ := left.List() // it never fails
	if len(names) == 0 {
		return left
	}
	name := names[d.rng.below(len(names))]
	if size := left.Size(name); size > 0 {
		left.Flip(name, d.rng.below(size), 1<<d.rng.below(8))
	}
	return left
}

// fault decides about one call to the files.
func (d *disk) fault(call vfs.Call) error {
	d.mu.Lock()
	trouble := d.trouble
	d.mu.Unlock()
	switch {
	case trouble == Full && (call.Op == "create" || call.Op == "write"):
		return syscall.ENOSPC
	case trouble == Fail && d.rng.below(failOneIn) == 0:
		return errDisk
	}
	return nil
}
