// Package effectiveness measures how well the engine's rankings serve people: by collections of documents and questions for which people have judged what is relevant.
// The collections are not part of the project; where they are, its test holds the engine to the figures of a reference. The package imports nothing of the project.
package effectiveness
