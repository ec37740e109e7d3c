package main

import (
	"fmt"
	"path/filepath"
	"testing"
)

// Systems of any number of groups answer 3,000 documents' eight queries, in six orders and with aggregations over all, some and none of them, byte for byte as one group does.
func TestGroupsAnswerAsOne(t *testing.T) {
	c := made(3000, 8)
	folder := t.TempDir()
	systems := map[int]*system{}
	for _, groups := range []int{1, 2, 3, 5, 8} {
		s, err := start(t.Context(), filepath.Join(folder, fmt.Sprint(groups)), groups, c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.db.Close(); err != nil {
				t.Error(err)
			}
		})
		systems[groups] = s
	}
	for groups, s := range systems {
		if n, err := compare(t.Context(), systems[1], s, c); err != nil || n != 74 {
			t.Errorf("%d groups: %d answers compared, %v", groups, n, err)
		}
	}
}
