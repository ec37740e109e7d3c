// Package godocs reads the documentation of Go's standard library from its source: one document a package, and one an exported function, type, method,
// constant and variable. It imports the standard library and errgroup, and knows nothing of search.
//
// What it yields is a function of the source tree and the target: packages in the order of their import paths, symbols in the order of go/doc (constants,
// variables, functions, then each type with its own), the same for any number of workers.
package godocs
