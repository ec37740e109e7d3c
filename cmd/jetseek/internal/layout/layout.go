// Package layout lays text out for terminals: tables, lines that fit, and nothing in them that could steer one. It may import nothing of the project.
package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain is s in one line, without what could steer a terminal.
func Plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Cut shortens s to width characters; at least one stays.
func Cut(s string, width int) string {
	if width = max(width, 2); utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:width-1]) + "…"
}

// Table is rows of cells under a head.
type Table struct {
	Head  []string
	Right []bool // columns that stand at the right, as numbers do; shorter: the others at the left
	Rows  [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// String gives the table, a line a row, columns two blanks apart. Cells are made plain.
func (t *Table) String() string {
	rows := append([][]string{t.Head}, t.Rows...)
	widths := make([]int, len(t.Head))
	for _, row := range rows {
		for i := range row {
			row[i] = Plain(row[i])
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				line.WriteString("  ")
			}
			if i < len(t.Right) && t.Right[i] {
				line.WriteString(blanks + cell)
			} else {
				line.WriteString(cell + blanks)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
