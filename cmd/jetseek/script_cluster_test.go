package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// scripts/cluster starts a cluster that answers, and ends all its processes on an interrupt.
func TestClusterScript(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash on this machine")
	}
	out := &screen{}
	cmd := exec.Command(filepath.Join("..", "..", "scripts", "cluster"), t.TempDir())
	cmd.Env = append(os.Environ(), "JETSEEK_CLUSTER_BINARY="+buildBinary(t), "JETSEEK_CLUSTER_PORTS=0 0 0")
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the script
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM) })

	line := out.await(minute(t), t, `cluster ready nats=\S+ http=(\S+) http=(\S+) nats=(\d+) n1=(\d+) n2=(\d+) n3=(\d+) c1=(\d+) c2=(\d+)\n`)
	c := &cluster{t: t, doors: []string{"http://" + line[1], "http://" + line[2]}}
	if r := c.ask(0, "POST", "/index", `{"id":"a","text":"first"}`); r.status != 201 {
		t.Errorf("write: %d %s", r.status, r.body)
	}
	if s := decode[searched](t, c.ask(1, "GET", "/search?q=first&timeout_ms=5000", ""), 200); !s.Exact || s.Total.Value != 1 || s.Shards.OK != 3 {
		t.Errorf("search: %+v", s)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the script ends with %v:\n%s", err, out)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("the script does not end:\n%s", out)
	}
	for _, pid := range line[3:] {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(n, 0); err == nil {
			t.Errorf("process %s is still there", pid)
		}
	}
}
