package scripts

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = ".."
	module = "github.com/jetseek/jetseek/"
)

// pkg is what go list tells of a package; paths of the project are without the module.
type pkg struct {
	ImportPath                string
	Dir                       string
	Doc                       string
	GoFiles                   []string
	Imports, Deps             []string
	TestImports, XTestImports []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,GoFiles,Imports,Deps,TestImports,XTestImports", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		p.ImportPath = strings.TrimPrefix(p.ImportPath, module)
		for _, imports := range [][]string{p.Imports, p.Deps, p.TestImports, p.XTestImports} {
			for i := range imports {
				imports[i] = strings.TrimPrefix(imports[i], module)
			}
		}
		list = append(list, p)
	}
}

// under tells whether a path is one of roots or below it.
func under(path string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return path == r || strings.HasPrefix(path, r+"/") })
}

func TestImportsGoOneWay(t *testing.T) {
	rooms := []string{"engine", "subjects", "shard", "coordinator", "embedded", "cmd", "scripts"}
	vocabulary := []string{"engine/schema", "engine/query", "engine/bm25", "engine/agg", "engine/fault", "engine/outcome", "engine/analysis", "engine/geo", "engine/snippet"}
	rules := []struct {
		name      string
		of        []string // whose imports
		not       []string // but not of these
		direct    bool     // only what they name themselves
		forbidden []string // with everything below
		allowed   []string // of the forbidden
	}{
		{name: "1: the engine knows no network", of: []string{"engine"}, forbidden: []string{"github.com/nats-io", "net/http"}},
		{name: "1: the engine does not log and knows no chance", of: []string{"engine"}, direct: true,
			forbidden: []string{"log", "net", "math/rand", "crypto/rand"}},
		{name: "1: the engine is the lowest room", of: []string{"engine"}, forbidden: rooms, allowed: []string{"engine"}},
		{name: "2: the contract speaks only the engine's vocabulary", of: []string{"subjects"}, forbidden: rooms,
			allowed: append([]string{"subjects"}, vocabulary...)},
		{name: "3: a shard knows no coordinator", of: []string{"shard"}, forbidden: []string{"coordinator"}},
		{name: "3: a coordinator knows no shard", of: []string{"coordinator"}, forbidden: []string{"shard"}},
		{name: "4: a coordinator owns no documents", of: []string{"coordinator"}, forbidden: []string{"engine"}, allowed: vocabulary},
		{name: "5: only embedded runs a server", of: rooms, not: []string{"embedded"}, direct: true, forbidden: []string{"github.com/nats-io/nats-server"}},
		{name: "6: clients can do what any client can", of: []string{"coordinator/client", "coordinator/bridge"}, forbidden: rooms,
			allowed: append([]string{"coordinator/client", "coordinator/bridge", "subjects"}, vocabulary...)},
		{name: "8: who decides does nothing", of: []string{"subjects/placement", "coordinator/rank", "engine/bm25", "engine/query", "engine/geo"}, direct: true,
			forbidden: []string{"github.com/nats-io", "net", "os", "context", "sync"}},
	}
	list := packages(t)
	for _, p := range list {
		for _, r := range rules {
			if !under(p.ImportPath, r.of...) || under(p.ImportPath, r.not...) {
				continue
			}
			imports := p.Deps
			if r.direct {
				imports = p.Imports
			}
			for _, i := range imports {
				if under(i, r.forbidden...) && !under(i, r.allowed...) {
					t.Errorf("rule %s: %s imports %s", r.name, p.ImportPath, i)
				}
			}
		}
		for _, i := range slices.Concat(p.TestImports, p.XTestImports) {
			if under(i, "github.com/nats-io/nats-server") && !under(p.ImportPath, "embedded") {
				t.Errorf("rule 5: a test of %s imports %s, not embedded/natstest", p.ImportPath, i)
			}
		}
	}
	if len(list) == 0 {
		t.Error("no packages")
	}
}

func TestEveryPackageHasAComment(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.GoFiles) > 0 && p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

func TestNames(t *testing.T) {
	forbidden := regexp.MustCompile(`^(utils?|common|helpers?|misc|base|shared|types|models|constants|interfaces)$`)
	for _, file := range tracked(t) {
		for part := range strings.SplitSeq(file, "/") {
			name, _, _ := strings.Cut(part, ".")
			if forbidden.MatchString(strings.TrimSuffix(name, "_test")) && !strings.Contains(file, "testdata/") {
				t.Errorf("rule 7: %s says nothing of what is in it", file)
			}
		}
	}
}

func TestTheEngineDoesNotReadTheClock(t *testing.T) {
	eachFile(t, func(name string, file *ast.File) {
		if !under(name, "engine") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "After", "Sleep", "Tick", "NewTimer", "NewTicker"}, s.Sel.Name) {
				t.Errorf("rule 1: %s uses time.%s", name, s.Sel.Name)
			}
			return true
		})
	})
}

// What a coordinator waits for, leases above all, is a difference of two readings of the monotonic clock, which no step of the wall clock changes: it takes a time apart, or drops its monotonic reading,
// only where nothing is waited for.
func TestCoordinatorsWaitByTheMonotonicClock(t *testing.T) {
	allowed := map[string]string{
		"coordinator/coordinator.go UnixMilli": "when a record was written, for people",
		"coordinator/report.go Round":          "when members said something, for people",
		"coordinator/report.go UTC":            "the same",
		"coordinator/walk.go UnixMilli":        "when the pages of a walk were held last, which stands in the caller's cursor: after a step they are held once more than needed, or later by so much",
	}
	eachFile(t, func(name string, file *ast.File) {
		if filepath.ToSlash(filepath.Dir(name)) != "coordinator" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if ok && slices.Contains([]string{"Unix", "UnixMilli", "UnixMicro", "UnixNano", "Round", "Truncate", "UTC", "Local"}, s.Sel.Name) && allowed[name+" "+s.Sel.Name] == "" {
				t.Errorf("%s uses %s: a time of the wall clock, which may be stepped", name, s.Sel.Name)
			}
			return true
		})
	})
}

// Subjects are built by package subjects; what it builds, and what others ask it for, must stand in its table.
func TestTheTableNamesEverySubject(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(root, "subjects", "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	mentions := func(word string) bool {
		return regexp.MustCompile(`(^|[^a-z0-9_.-])` + regexp.QuoteMeta(word) + `($|[^a-z0-9_-])`).Match(table)
	}
	plane := regexp.MustCompile(`^\.[a-z]{2,}\.`)
	whole := regexp.MustCompile(`^jetseek\.[a-z]+\.[a-z0-9_.*>{}-]+$`)
	eachFile(t, func(name string, file *ast.File) {
		if name == "scripts/rules_test.go" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				s := literal(n)
				if whole.MatchString(s) && !strings.Contains(string(table), s) {
					t.Errorf("%s: the subject %q does not stand in subjects/doc.go", name, s)
				}
				if name == "subjects/names.go" && plane.MatchString(s) && !strings.Contains(string(table), "jetseek"+plane.FindString(s)) {
					t.Errorf("%s: the plane %q does not stand in subjects/doc.go", name, s)
				}
			case *ast.CallExpr:
				if op := operation(n); op != "" && !mentions(op) {
					t.Errorf("%s: the operation %q does not stand in subjects/doc.go", name, op)
				}
			}
			return true
		})
	})
}

// operation gives the operation that a call asks package subjects for, where it is written out.
func operation(call *ast.CallExpr) string {
	s, ok := call.Fun.(*ast.SelectorExpr)
	arguments := map[string]int{"Read": 2, "Write": 2, "Admin": 1, "Member": 3, "Any": 2}
	if !ok || len(call.Args) == 0 || len(call.Args) != arguments[s.Sel.Name] {
		return ""
	}
	if x, ok := s.X.(*ast.SelectorExpr); !ok || !strings.EqualFold(x.Sel.Name, "names") {
		if x, ok := s.X.(*ast.Ident); !ok || x.Name != "names" {
			return ""
		}
	}
	last, ok := call.Args[len(call.Args)-1].(*ast.BasicLit)
	if !ok {
		return ""
	}
	return strings.Trim(literal(last), "*>")
}

func literal(l *ast.BasicLit) string {
	if l.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(l.Value)
	if err != nil {
		return ""
	}
	return s
}

func TestLinksInMarkdownLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, file := range tracked(t) {
		if filepath.Ext(file) != ".md" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(file), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: %s leads nowhere", file, m[1])
			}
		}
	}
}

func TestTopLevel(t *testing.T) {
	allowed := []string{".ci", ".gitignore", "LICENSE", "README.md", "cmd", "coordinator", "embedded", "engine", "go.mod", "go.sum", "scripts", "shard", "subjects"}
	for _, file := range tracked(t) {
		if top, _, _ := strings.Cut(file, "/"); !slices.Contains(allowed, top) {
			t.Errorf("%s: the top level holds only %v", file, allowed)
		}
	}
}

// eachFile parses the Go files of the project, tests left out.
func eachFile(t *testing.T, visit func(name string, file *ast.File)) {
	t.Helper()
	for _, name := range tracked(t) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		visit(name, file)
	}
}

// tracked gives the files that are, or would be, in the repository.
func tracked(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("no git checkout: %v", err)
	}
	var files []string
	for file := range strings.Lines(string(out)) {
		file = strings.TrimSuffix(file, "\n")
		if _, err := os.Stat(filepath.Join(root, file)); err == nil { // not deleted
			files = append(files, file)
		}
	}
	return files
}
