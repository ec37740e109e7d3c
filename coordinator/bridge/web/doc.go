// Package web is the page for people: a search at / and the cluster at /cluster, rendered here by html/template from the same calls that any client can
// make. It may import coordinator/client, the contract (subjects and below) and the engine's vocabulary.
//
// The pages work without JavaScript; assets/page.js only adds to them: a key for the search field, and a cluster page that follows without reloading.
// Nothing comes from elsewhere and nothing is inline, so that the policy default-src 'self' holds. What a document or a query says is text, wherever it
// stands: it reaches a page through the templates' escaping alone, and each piece is isolated (<bdi>, dir=auto), so that right-to-left text cannot
// reorder what stands beside it.
package web
