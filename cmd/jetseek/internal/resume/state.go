// Package resume remembers how far a file was indexed, so that the same command goes on there after a break. It may import nothing of the project.
//
// A place is believed only when the file itself bears it out: the documents before it are read again, and must be as many bytes, with the same digest, as
// when they were indexed. So a state that is torn, of another file, or of a file that has changed before the place is never gone on from.
package resume

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is where states are kept: getenv("XDG_STATE_HOME") or ~/.local/state, then jetseek/index.
func Folder(getenv func(string) string) (string, error) {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) { // others are to be ignored, as its specification says
		return filepath.Join(dir, "jetseek", "index"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the folder of states: %w", err)
	}
	return filepath.Join(home, ".local", "state", "jetseek", "index"), nil
}

// Key says what is indexed where. Only its digest is stored, since a target may hold a secret.
type Key struct {
	File       string // absolute path
	Collection string
	Target     string // the cluster, as the command line names it
}

func (k Key) digest() string {
	sum := sha256.New()
	for _, part := range []string{k.File, k.Collection, k.Target} {
		fmt.Fprintf(sum, "%d:%s", len(part), part) // lengths keep the parts apart
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Place is how far a file is done: the outcome of every document before it is known.
type Place struct {
	Documents int    `json:"documents"` // that are done, counted from the beginning of the file
	End       int64  `json:"end"`       // offset in bytes behind the last of them
	SHA256    string `json:"sha256"`    // of the file's bytes before End, in hexadecimal digits
}

// record is a place as it stands in its file.
type record struct {
	Key string `json:"key"`
	Run string `json:"run"`
	Place
}

// State is the place kept for one key. It is for one goroutine; of processes that keep the same key, the last one counts, and each place is true.
type State struct {
	// Run names the writing of the file from its beginning to its end, over all breaks. Load sets it, and Save keeps it.
	Run string

	folder, path, key string
}

// Open names the state of a key in a folder, which need not exist.
func Open(folder string, k Key) *State {
	key := k.digest()
	return &State{folder: folder, path: filepath.Join(folder, key+".json"), key: key}
}

// mostState bounds the state that is read, in bytes.
const mostState = 4 << 10

// Load gives the place kept, and sets Run; false: there is none that can be read.
func (s *State) Load() (Place, bool) {
	f, err := os.Open(s.path)
	if err != nil {
		return Place{}, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostState))
	if err != nil {
		return Place{}, false
	}
	var r record
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&r) != nil || r.Key != s.key || r.Run == "" || r.Documents < 0 || r.End < 0 {
		return Place{}, false
	}
	s.Run = r.Run
	return r.Place, true
}

// Save keeps a place instead of the one before; whatever happens meanwhile, one of both is there.
func (s *State) Save(p Place) error {
	if err := s.save(p); err != nil {
		return fmt.Errorf("keep the place reached: %w", err)
	}
	return nil
}

func (s *State) save(p Place) error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(record{Key: s.key, Run: s.Run, Place: p})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(s.temporary(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(s.temporary(), s.path)
}

// temporary is always the same file, so that breaks leave no more than one.
func (s *State) temporary() string { return s.path + ".tmp" }

// Remove forgets the place; that there is none is no error.
func (s *State) Remove() error {
	for _, path := range []string{s.temporary(), s.path} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget the place reached: %w", err)
		}
	}
	return nil
}
