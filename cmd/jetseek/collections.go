package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

func collectionsCommand() *cli.Command {
	return &cli.Command{
		Name: "collections", Usage: "list, create, show and drop collections", OnUsageError: badUsage,
		Subcommands: []*cli.Command{
			clientCommand("list", "list collections with their counts", arguments{}, clientFlags(), listCollections),
			clientCommand("create", "create a collection", arguments{"NAME", 1, 1}, clientFlags(
				&cli.StringFlag{Name: "schema", Usage: "read the schema from `FILE`, - for standard input (default: {}, fields are found as they come)"}), createCollection),
			clientCommand("show", "show a collection with its schema", arguments{"NAME", 1, 1}, clientFlags(), showCollection),
			clientCommand("drop", "delete a collection with all its documents", arguments{"NAME", 1, 1}, clientFlags(), dropCollection),
		},
		Action: func(c *cli.Context) error {
			if name := c.Args().First(); name != "" {
				return usageError{fmt.Errorf("collections has no command %q; see %s --help", name, c.Command.HelpName)}
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
}

func listCollections(c *cli.Context, link remote.Link) error {
	return show(c, link, remote.Call{Op: ops.CollectionsList}, func(w io.Writer, all *wire.CollectionsBody) error {
		if len(all.Collections) == 0 {
			_, err := fmt.Fprintln(w, "no collections; jetseek index makes one, or jetseek collections create")
			return err
		}
		t := layout.Table{Head: []string{"COLLECTION", "DOCUMENTS", "GROUPS"}, Right: []bool{false, true}}
		for _, one := range all.Collections {
			t.Add(one.Name, fmt.Sprint(one.Documents), counts(one.Groups))
		}
		_, err := io.WriteString(w, t.String())
		return err
	})
}

func createCollection(c *cli.Context, link remote.Link) error {
	schema := []byte("{}")
	if file := c.String("schema"); file != "" {
		var err error
		if schema, err = readFile(c, file); err != nil {
			return fmt.Errorf("read the schema: %w", err)
		}
	}
	call := remote.Call{Op: ops.CollectionsCreate, Params: map[string]string{"collection": c.Args().First()}, Body: schema}
	return show(c, link, call, func(w io.Writer, one *wire.CollectionBody) error {
		_, err := fmt.Fprintf(w, "collection %s: %s\n", one.Name, documents(one.Documents))
		return err
	})
}

func showCollection(c *cli.Context, link remote.Link) error {
	call := remote.Call{Op: ops.CollectionsShow, Params: map[string]string{"collection": c.Args().First()}}
	return show(c, link, call, func(w io.Writer, one *wire.CollectionBody) error {
		_, err := fmt.Fprintf(w, "collection %s: %s, %s\n%s\n", one.Name, documents(one.Documents), counts(one.Groups), indented(one.Schema))
		return err
	})
}

func dropCollection(c *cli.Context, link remote.Link) error {
	call := remote.Call{Op: ops.CollectionsDrop, Params: map[string]string{"collection": c.Args().First()}}
	return show(c, link, call, func(w io.Writer, d *wire.DropBody) error {
		text := "dropped; no member can serve it any more"
		if !d.Verified {
			text = "dropped for good; members that are away will follow"
		}
		_, err := fmt.Fprintf(w, "collection %s: %s\n", d.Name, text)
		return err
	})
}

// counts lists groups with their numbers, in order: g0 12, g1 9.
func counts[N int | uint64](groups map[string]N) string {
	var words []string
	for _, g := range inOrder(groups) {
		words = append(words, fmt.Sprintf("%s %d", g, groups[g]))
	}
	return strings.Join(words, ", ")
}

// documents counts documents in words.
func documents[N int | uint64](n N) string {
	if n == 1 {
		return "1 document"
	}
	return fmt.Sprintf("%d documents", n)
}

// readFile reads a whole file, or standard input where it is named -.
func readFile(c *cli.Context, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(c.App.Reader)
	}
	return os.ReadFile(name)
}
