package godocs

import (
	"go/ast"
	"go/doc"
	"go/printer"
	"go/token"
	"strings"
	"unicode"
)

// maxSignature bounds a declaration that is shown, in bytes: a struct of hundreds of fields says no more than its beginning.
const maxSignature = 2000

// collector turns what go/doc found in one package into documents.
type collector struct {
	fset *token.FileSet
	pkg  *doc.Package
	all  bool // unexported names count too
	docs []Document
}

func (c *collector) collect() {
	p := c.pkg
	c.docs = append(c.docs, Document{ID: p.ImportPath, Name: words(strings.ReplaceAll(p.ImportPath, "/", " ")), Symbol: p.Name, Kind: "package",
		Package: p.ImportPath, Signature: "package " + p.Name, Doc: p.Doc, Words: len(strings.Fields(p.Doc))})
	c.values("const", p.Consts)
	c.values("var", p.Vars)
	for _, f := range p.Funcs {
		c.function("func", f)
	}
	for _, t := range p.Types {
		c.add("type", t.Name, c.typeSignature(t), t.Doc)
		c.values("const", t.Consts)
		c.values("var", t.Vars)
		for _, f := range t.Funcs {
			c.function("func", f)
		}
		for _, m := range t.Methods {
			c.function("method", m)
		}
	}
}

// values adds each name of grouped constants or variables. What a name has of its own, a comment above or behind it, goes before the group's.
func (c *collector) values(kind string, groups []*doc.Value) {
	for _, g := range groups {
		for _, spec := range g.Decl.Specs {
			s, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			about := join(s.Doc.Text(), s.Comment.Text(), g.Doc)
			for _, name := range s.Names {
				if name.IsExported() || c.all && name.Name != "_" {
					c.add(kind, name.Name, kind+" "+c.print(&ast.ValueSpec{Names: s.Names, Type: s.Type, Values: s.Values}), about)
				}
			}
		}
	}
}

func (c *collector) function(kind string, f *doc.Func) {
	symbol := f.Name
	if kind == "method" {
		symbol = strings.TrimPrefix(f.Recv, "*") + "." + f.Name
		if i := strings.IndexByte(symbol, '['); i >= 0 { // the type parameters of a generic receiver
			symbol = symbol[:i] + symbol[strings.IndexByte(symbol, ']')+1:]
		}
	}
	c.add(kind, symbol, c.print(&ast.FuncDecl{Recv: f.Decl.Recv, Name: f.Decl.Name, Type: f.Decl.Type}), f.Doc)
}

// typeSignature is the declaration of one type, without its neighbours in a group.
func (c *collector) typeSignature(t *doc.Type) string {
	for _, spec := range t.Decl.Specs {
		if s, ok := spec.(*ast.TypeSpec); ok && s.Name.Name == t.Name {
			return "type " + c.print(&ast.TypeSpec{Name: s.Name, TypeParams: s.TypeParams, Assign: s.Assign, Type: s.Type})
		}
	}
	return "type " + t.Name
}

func (c *collector) add(kind, symbol, signature, about string) {
	p := c.pkg
	c.docs = append(c.docs, Document{ID: p.ImportPath + "." + symbol, Name: words(p.Name + " " + strings.ReplaceAll(symbol, ".", " ")), Symbol: symbol,
		Kind: kind, Package: p.ImportPath, Signature: signature, Doc: about, Words: len(strings.Fields(about))})
}

// print renders a node as gofmt would, cut to maxSignature.
func (c *collector) print(node ast.Node) string {
	var b strings.Builder
	cfg := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}
	if err := cfg.Fprint(&b, c.fset, node); err != nil {
		return "" // a node that the printer does not know has no text
	}
	s := b.String()
	if len(s) > maxSignature {
		s = strings.ToValidUTF8(s[:maxSignature], "") + "…"
	}
	return s
}

// words gives the names of s, each followed by its parts where it has several: "io ReadAll" is "io ReadAll Read All", so that it is found by either.
func words(s string) string {
	var out []string
	for name := range strings.FieldsSeq(s) {
		out = append(out, name)
		if parts := camelParts(name); len(parts) > 1 {
			out = append(out, parts...)
		}
	}
	return strings.Join(out, " ")
}

// camelParts splits a name at underscores and where the case says that a word begins: ReadAll, HTTPServer, writeFile_v2.
func camelParts(name string) []string {
	var parts []string
	r := []rune(name)
	start := 0
	for i := 1; i <= len(r); i++ {
		if i < len(r) && !boundary(r, i) {
			continue
		}
		if part := strings.Trim(string(r[start:i]), "_"); part != "" {
			parts = append(parts, part)
		}
		start = i
	}
	return parts
}

// boundary tells whether a word begins at i: behind a lower-case letter or digit before a capital, before the last capital of a run that a
// lower-case letter follows, and at underscores.
func boundary(r []rune, i int) bool {
	before, at := r[i-1], r[i]
	switch {
	case before == '_' || at == '_':
		return true
	case !unicode.IsUpper(at):
		return false
	case !unicode.IsUpper(before):
		return true
	}
	return i+1 < len(r) && unicode.IsLower(r[i+1])
}

// join puts the texts that are there below each other.
func join(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		if t = strings.TrimSpace(t); t == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(t)
	}
	return b.String()
}
