package natscontext

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a folder of contexts that holds one.
func write(t *testing.T, name, text string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "context"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "context", name+".json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestLoad(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	folder := write(t, "prod", `{"description":"","url":"nats://a:4222,nats://b:4222","user":"u","password":"p","token":"","creds":"~/x.creds","nkey":"",
		"cert":"/c","key":"/k","ca":"/ca","nsc":"","jetstream_domain":"","inbox_prefix":"_I","color_scheme":"blue"}`)
	got, err := Load(folder, "prod")
	want := Context{URL: "nats://a:4222,nats://b:4222", User: "u", Password: "p", Creds: "/home/ann/x.creds", Cert: "/c", Key: "/k", CA: "/ca", InboxPrefix: "_I"}
	if err != nil || *got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	folder := write(t, "hub", `{"url":"nats://a","jetstream_domain":"hub","nsc":"nsc://o/a/u"}`)
	for name, word := range map[string]string{"leaf": "nats context ls", "../hub": "no name", "": "no name", ".hub": "no name", "hub": "nsc, jetstream_domain"} {
		if _, err := Load(folder, name); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, want something about %s", name, err, word)
		}
	}
	if _, err := Load(t.TempDir(), "hub"); err == nil {
		t.Error("a context was found where there are none")
	}
	if _, err := Load(write(t, "bad", `{"url":`), "bad"); err == nil {
		t.Error("a broken file was taken")
	}
}

func TestFolder(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	for xdg, want := range map[string]string{"": "/home/ann/.config/nats", "/etc/x": "/etc/x/nats"} {
		if got, err := Folder(func(string) string { return xdg }); err != nil || got != want {
			t.Errorf("%q: %s, %v", xdg, got, err)
		}
	}
}
