package godocs

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Document is what the source says of one package or exported symbol.
type Document struct {
	ID        string // import path, or import path, dot, symbol: net/http.Client.Do
	Name      string // the words of the symbol, behind the package's name, to be found by: "http Client Do"
	Symbol    string // Client.Do; of a package its name
	Kind      string // package, func, type, method, const, var
	Package   string // import path
	Signature string // the declaration without its body; of a package its clause
	Doc       string // the comment
	Words     int    // of the comment
	Since     int    // N of the Go 1.N that brought it; -1 when the tree does not say
}

// Options say what to read. The zero value reads the running Go's tree for this machine.
type Options struct {
	// Root is a GOROOT. "": [Root].
	Root string
	// GOOS and GOARCH choose the files, by their build constraints. "": this machine's.
	GOOS, GOARCH string
}

// Root finds the GOROOT of this machine: of the environment, of the binary, or, when that was built with -trimpath, of the go command.
func Root(ctx context.Context) (string, error) {
	if root := build.Default.GOROOT; root != "" {
		return root, nil
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("find the Go tree: go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Read reads all documents of the standard library. It uses all processors.
func Read(ctx context.Context, o Options) ([]Document, error) {
	if o.Root == "" {
		root, err := Root(ctx)
		if err != nil {
			return nil, err
		}
		o.Root = root
	}
	src := filepath.Join(o.Root, "src")
	paths, err := importPaths(src)
	if err != nil {
		return nil, fmt.Errorf("read the Go tree at %s: %w", o.Root, err)
	}
	target := o.target()
	each := make([][]Document, len(paths))
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range paths {
		workers.Go(func() error { // ends when its package is read
			if err := ctx.Err(); err != nil {
				return err
			}
			docs, err := readPackage(&target, src, p)
			if err != nil {
				return fmt.Errorf("read package %s: %w", p, err)
			}
			each[i] = docs
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	docs := slices.Concat(each...)
	if len(docs) == 0 {
		return nil, fmt.Errorf("no packages under %s", src)
	}
	since, err := readSince(filepath.Join(o.Root, "api"), target.GOOS+"-"+target.GOARCH)
	if err != nil {
		return nil, err
	}
	for i := range docs {
		docs[i].Since = since.of(&docs[i])
	}
	return docs, nil
}

// target is the build context whose constraints choose the files.
func (o Options) target() build.Context {
	c := build.Default
	c.GOROOT = o.Root
	c.CgoEnabled = true // the documented API is that of a build with cgo, whether this machine has a C compiler or not
	if o.GOOS != "" {
		c.GOOS = o.GOOS
	}
	if o.GOARCH != "" {
		c.GOARCH = o.GOARCH
	}
	return c
}

// importPaths lists the folders under src that may hold a public package, ascending.
func importPaths(src string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(src, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || file == src {
			return err
		}
		name := d.Name()
		if name == "internal" || name == "testdata" || name == "vendor" || file == filepath.Join(src, "cmd") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(src, file)
		if err != nil {
			return err
		}
		paths = append(paths, filepath.ToSlash(rel))
		return nil
	})
	slices.Sort(paths)
	return paths, err
}

// readPackage gives the documents of one folder, none when it holds no package for the target.
func readPackage(target *build.Context, src, importPath string) ([]Document, error) {
	dir := filepath.Join(src, filepath.FromSlash(importPath))
	found, err := target.ImportDir(dir, 0)
	var none *build.NoGoError
	switch {
	case errors.As(err, &none):
		return nil, nil
	case err != nil:
		return nil, err
	case found.Name == "main":
		return nil, nil
	}
	names := slices.Concat(found.GoFiles, found.CgoFiles)
	slices.Sort(names)
	fset := token.NewFileSet()
	files := make([]*ast.File, len(names))
	for i, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if files[i], err = parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return nil, err
		}
	}
	var mode doc.Mode
	if importPath == "builtin" {
		mode = doc.AllDecls // what it documents is predeclared, in lower case
	}
	p, err := doc.NewFromFiles(fset, files, importPath, mode)
	if err != nil {
		return nil, err
	}
	c := &collector{fset: fset, pkg: p, all: mode == doc.AllDecls}
	c.collect()
	return c.docs, nil
}
