// Package natscontext reads the contexts of the nats command line: named settings of a connection, one JSON file each. It may import nothing of the project.
package natscontext

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Context holds the settings that jetseek uses; the others of a file are left alone. Empty: not set.
type Context struct {
	URL         string `json:"url"`
	User        string `json:"user"`
	Password    string `json:"password"`
	Token       string `json:"token"`
	Creds       string `json:"creds"` // path of a file
	NKey        string `json:"nkey"`  // path of a file with a seed
	Cert        string `json:"cert"`  // path of a file, as are the next two
	Key         string `json:"key"`
	CA          string `json:"ca"`
	InboxPrefix string `json:"inbox_prefix"`

	// What jetseek does not do, and must not pass over in silence.
	NSC        string `json:"nsc"`
	UserJWT    string `json:"user_jwt"`
	JSDomain   string `json:"jetstream_domain"`
	JSAPI      string `json:"jetstream_api_prefix"`
	SocksProxy string `json:"socks_proxy"`
}

// Folder is where the nats command line keeps its contexts: getenv("XDG_CONFIG_HOME") or ~/.config, then nats.
func Folder(getenv func(string) string) (string, error) {
	if dir := getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "nats"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the contexts of nats: %w", err)
	}
	return filepath.Join(home, ".config", "nats"), nil
}

// Load reads the context of a name from a folder.
func Load(folder, name string) (*Context, error) {
	if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return nil, fmt.Errorf("nats context %q: that is no name", name)
	}
	root, err := os.OpenRoot(filepath.Join(folder, "context"))
	if err != nil {
		return nil, fmt.Errorf("nats context %s: %w; nats context ls lists those there are", name, err)
	}
	defer root.Close()
	text, err := root.ReadFile(name + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("nats context %s: there is none of that name; nats context ls lists those there are", name)
	}
	if err != nil {
		return nil, fmt.Errorf("nats context %s: %w", name, err)
	}
	var c Context
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("nats context %s: %w", name, err)
	}
	for setting, value := range map[string]*string{"creds": &c.Creds, "nkey": &c.NKey, "cert": &c.Cert, "key": &c.Key, "ca": &c.CA} {
		if *value, err = atHome(*value); err != nil {
			return nil, fmt.Errorf("nats context %s: %s: %w", name, setting, err)
		}
	}
	return &c, c.unsupported(name)
}

// unsupported refuses a context that asks for what jetseek would leave out.
func (c *Context) unsupported(name string) error {
	var asks []string
	for _, s := range []struct{ setting, value string }{
		{"nsc", c.NSC}, {"user_jwt", c.UserJWT}, {"jetstream_domain", c.JSDomain}, {"jetstream_api_prefix", c.JSAPI}, {"socks_proxy", c.SocksProxy},
	} {
		if s.value != "" {
			asks = append(asks, s.setting)
		}
	}
	if len(asks) == 0 {
		return nil
	}
	return fmt.Errorf("nats context %s sets %s, which jetseek does not support: use another context, or --nats and --creds", name, strings.Join(asks, ", "))
}

// atHome puts the home folder in place of a leading ~.
func atHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, rest), nil
}
