package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/bridge"
	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// browser is one tab of a headless Chromium, driven by its DevTools protocol over two pipes: each message is JSON and a NUL.
type browser struct {
	t       *testing.T
	to      io.Writer
	session string

	mu       sync.Mutex // guards the fields below
	last     int
	waiting  map[int]chan reply
	problems []string // errors in the console, exceptions, requests that the policy refused
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// event is a message of the browser: the reply to the command of its ID, or what has happened.
type event struct {
	ID     int
	Method string
	Params json.RawMessage
	reply
}

// openBrowser starts Chromium, where it is installed, until the test ends.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium here: scripts/browser-install installs it")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
		"--disable-background-networking", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank")
	commands, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, events, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{commands, events} // 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = commands.Close() // it is the browser's
	_ = events.Close()
	b := &browser{t: t, to: to, waiting: map[int]chan reply{}}
	read := make(chan struct{})
	go func() { // ends with the browser
		defer close(read)
		b.read(bufio.NewReaderSize(from, 1<<20))
	}()
	t.Cleanup(func() {
		_, _ = fmt.Fprint(to, `{"id":0,"method":"Browser.close"}`+"\x00")
		timer := time.AfterFunc(5*time.Second, cancel)
		_ = cmd.Wait() // it was told to end
		timer.Stop()
		cancel()
		_, _ = to.Close(), from.Close()
		<-read
	})
	var target struct{ TargetID string }
	b.command("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.command("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Audits"} {
		b.command(domain+".enable", nil, nil)
	}
	return b
}

// read takes what the browser says until it ends.
func (b *browser) read(r *bufio.Reader) {
	for {
		data, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var e event
		if json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &e) != nil {
			continue
		}
		b.mu.Lock()
		switch {
		case e.ID > 0:
			if c := b.waiting[e.ID]; c != nil {
				delete(b.waiting, e.ID)
				c <- e.reply // has room for it
			}
		case e.Method == "Runtime.exceptionThrown", e.Method == "Page.javascriptDialogOpening", e.Method == "Audits.issueAdded",
			e.Method == "Log.entryAdded" && strings.Contains(string(e.Params), `"level":"error"`),
			e.Method == "Runtime.consoleAPICalled" && strings.Contains(string(e.Params), `"type":"error"`):
			b.problems = append(b.problems, e.Method+": "+string(e.Params))
		}
		b.mu.Unlock()
	}
}

// command does one command, which must succeed, and decodes its result into out, unless that is nil.
func (b *browser) command(method string, params any, out any) {
	b.t.Helper()
	if err := b.try(method, params, out); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

// try does one command; its error is the browser's.
func (b *browser) try(method string, params any, out any) error {
	b.t.Helper()
	answered := make(chan reply, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.waiting[id] = answered
	b.mu.Unlock()
	message := map[string]any{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	if _, err := b.to.Write([]byte(mustJSON(b.t, message) + "\x00")); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	select {
	case r := <-answered:
		if r.Error != nil {
			return errors.New(r.Error.Message)
		}
		if out == nil {
			return nil
		}
		return json.Unmarshal(r.Result, out)
	case <-time.After(30 * time.Second):
		return errors.New("no answer")
	}
}

// eval gives the value of an expression in the page, as text.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	value, err := b.tryEval(expression)
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func (b *browser) tryEval(expression string) (string, error) {
	b.t.Helper()
	var out struct{ Result struct{ Value any } }
	err := b.try("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &out)
	return fmt.Sprint(out.Result.Value), err
}

// await waits until an expression is true in the page. A page that goes away while it is asked has no answer yet.
func (b *browser) await(expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if value, err := b.tryEval(expression); err == nil && value == "true" {
			return
		}
	}
	b.t.Fatalf("it never came true: %s\n%s", expression, b.eval("document.body.innerText"))
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.command("Page.navigate", map[string]any{"url": url}, nil)
	b.await(fmt.Sprintf("document.readyState === 'complete' && location.href === new URL(%s).href", mustJSON(b.t, url)))
}

// key presses a key with the keyboard alone.
func (b *browser) key(name string, code int, text string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p := map[string]any{"type": kind, "key": name, "windowsVirtualKeyCode": code}
		if kind == "keyDown" && text != "" {
			p["text"] = text
		}
		b.command("Input.dispatchKeyEvent", p, nil)
	}
}

func (b *browser) write(text string) {
	b.t.Helper()
	b.command("Input.insertText", map[string]any{"text": text}, nil)
}

// size makes the page so many pixels wide and high, light or dark.
func (b *browser) size(width, height int, scheme string) {
	b.t.Helper()
	b.command("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	b.command("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// shot keeps a picture of the page where JETSEEK_SCREENSHOTS names a folder, and checks that nothing stands beyond the page's sides.
func (b *browser) shot(name string) {
	b.t.Helper()
	if wide := b.eval("document.documentElement.scrollWidth > document.documentElement.clientWidth"); wide != "false" {
		b.t.Errorf("%s is wider than its window", name)
	}
	dir := os.Getenv("JETSEEK_SCREENSHOTS")
	if dir == "" {
		return
	}
	var out struct{ Data string }
	b.command("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": false}, &out)
	png, err := base64.StdEncoding.DecodeString(out.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// quiet fails when anything was wrong so far.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Error(p)
	}
	b.problems = nil
}

// looks are the windows in which pages are looked at.
var looks = []struct {
	name          string
	width, height int
	scheme        string
}{{"wide", 1200, 1000, "light"}, {"wide-dark", 1200, 1000, "dark"}, {"narrow", 390, 844, "light"}, {"narrow-dark", 390, 844, "dark"}}

// A reader finds a document with the keyboard alone, in a real system, and the pages ask for nothing that their policy refuses.
func TestSearchByKeyboard(t *testing.T) {
	b := openBrowser(t)
	db, err := embedded.Open(t.TempDir(), embedded.Options{Groups: 3, Members: 2, Lease: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := db.Client().CreateCollection(ctx, "books", json.RawMessage(
		`{"fields":{"title":{"type":"text"},"about":{"type":"text"},"year":{"type":"long"},"kind":{"type":"keyword"}},"default_fields":["title","about"]}`)); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for i := range 25 {
		lines.WriteString(mustJSON(t, map[string]any{"id": fmt.Sprintf("shelf-%02d", i), "title": fmt.Sprintf("A history of gardens, volume %d", i+1), "year": 1900 + i, "kind": "essay",
			"about": "Gardens are older than books. This volume walks through them by the water that feeds them: springs, channels, wells, and the slow work of those who dig."}) + "\n")
	}
	lines.WriteString(mustJSON(t, map[string]any{"id": "evil", "title": `<script>alert("gardens")</script>`, "about": "\u202e<img src=x onerror=alert(1)>\u0000 " + strings.Repeat("גן ", 40),
		"kind": `"><script>alert(2)</script>`}) + "\n")
	if _, err := db.Client().Bulk(ctx, "books", []byte(lines.String()), client.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	door := httptest.NewServer(bridge.NewHandler(db.Client(), nil))
	defer door.Close()

	b.open(door.URL + "/")
	b.await("document.activeElement.id === 'q'")
	b.write("gardens water")
	b.key("Enter", 13, "\r")
	b.await("document.querySelector('h1')?.innerText === '26 documents'")
	if got := b.eval("document.querySelectorAll('.hit').length + ' ' + document.querySelector('.facts').innerText.replace(/\\s+/g, ' ')"); !strings.HasPrefix(got, "10 exact 3 of 3 groups 100 % covered") {
		t.Errorf("the answer: %s", got)
	}
	b.key("/", 191, "/") // the script takes the key to the query, and does not write it there
	if got := b.eval("document.activeElement.id + ' ' + document.activeElement.value"); got != "q gardens water" {
		t.Errorf("/ leads to %s", got)
	}
	for _, look := range looks {
		b.size(look.width, look.height, look.scheme)
		b.shot("results-" + look.name)
	}
	b.eval("document.querySelector('a[rel=next]').focus()")
	b.key("Enter", 13, "\r")
	b.await("document.querySelector('.pages span')?.innerText.startsWith('11–20 of 26')")

	b.open(door.URL + "/?q=title:alert&collection=books")
	b.await("document.querySelector('.hit h2')?.innerText === '<script>alert(\"gardens\")</script>'")
	b.eval("document.querySelector('.hit summary').click()")
	b.size(1200, 1000, "light")
	b.shot("hostile-wide")
	b.open(door.URL + "/?q=zebra&collection=books")
	for _, look := range looks {
		b.size(look.width, look.height, look.scheme)
		b.shot("nothing-" + look.name)
	}
	b.quiet()
	b.open(door.URL + "/?q=%28gardens&collection=books") // the status of the page is 400, which the console says
	b.shot("mistake-narrow")
}

// A partial answer and a member that is down are seen at once, and the cluster page follows by itself.
func TestTroubleIsSeen(t *testing.T) {
	b := openBrowser(t)
	groups := []placement.Group{}
	members := wire.MembersBody{}
	for g := range 3 {
		group := placement.Group{Name: fmt.Sprintf("g%d", g), Generation: 1}
		for n := range 2 {
			id := fmt.Sprintf("g%d/n%d", g, n+1)
			group.Members = append(group.Members, id)
			members.Members = append(members.Members, wire.MemberBody{Member: id, Group: group.Name, Node: id[3:], State: "serving", Applied: 48210, Documents: 3776, Digest: "9f86d081884c7d65"})
		}
		groups = append(groups, group)
	}
	m, err := placement.NewMap(placement.Ring, placement.DefaultVnodes, groups)
	if err != nil {
		t.Fatal(err)
	}
	answer := found(mustJSON(t, map[string]any{"title": "The garbage collector", "year": 2015, "kind": "article", "body": strings.Repeat("How the gc finds what nobody uses. ", 20)}))
	answer.Exact, answer.ExactNote, answer.Partial, answer.Total.Relation = false, "group g1 did not answer: its documents are missing", true, "gte"
	answer.Shards = wire.Shards{Total: 3, OK: 2, Failed: 1, FailedGroups: []string{"g1"}, Reasons: map[string]string{"g1": "no_serving_member"}}
	answer.Coverage = wire.Coverage{Documents: 0.6671, Seq: map[string]uint64{"g0": 117, "g2": 120}}
	s := openSite(t, map[string]any{"jetseek.admin.collections.list": listed, "jetseek.read.books.search": answer, "jetseek.admin.members": members, "jetseek.admin.map": m})

	b.open(s.url + "/?q=gc&collection=books")
	b.await("document.querySelector('.notice.bad h2')?.innerText === 'This answer is partial'")
	b.eval("document.querySelector('.whole summary').click()")
	for _, look := range looks {
		b.size(look.width, look.height, look.scheme)
		b.shot("partial-" + look.name)
	}
	b.open(s.url + "/cluster")
	b.await("document.querySelector('h1')?.innerText === 'All 6 members serve'")
	down := wire.MembersBody{Members: append([]wire.MemberBody(nil), members.Members...)}
	down.Members[1].State, down.Members[1].Lag, down.Members[1].Applied = "joining", 310, 47900
	down.Members[2].State, down.Members[3].State = "down", "down"
	s.set("jetseek.admin.members", down)
	b.await("document.querySelector('h1')?.innerText === '3 of 6 members serve'") // without a reload
	for _, look := range looks {
		b.size(look.width, look.height, look.scheme)
		b.shot("cluster-" + look.name)
	}
	b.quiet()
}
