// Package stopwords tells which words of a language say nothing of what a text is about: the lists of the Snowball project
// (https://snowballstem.org, 3-clause BSD, see COPYING in package snowball beside it), folded. scripts/snowball makes them anew. It imports nothing.
package stopwords
