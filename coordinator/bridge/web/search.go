package web

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// pageHits is how many hits a page has.
	pageHits = 10
	// searchBudget bounds all calls of a search page; the search itself takes the API's default.
	searchBudget = 3 * time.Second
	// listBudget bounds the wait for the collections' names, which are a convenience: without them the reader writes the name.
	listBudget = time.Second
	// mostValues bounds the bytes of one parameter of the page.
	mostValues = 16 << 10
)

// form is what the reader asked for; its fields are the parameters of GET /search.
type form struct {
	Query, Filter, Collection, Sort, Order string
	From                                   int
	Asked                                  bool // a query was sent, be it empty
	Profile                                bool // where the time went is asked for, which takes more of it
}

func readForm(values url.Values) (form, error) {
	f := form{Query: values.Get("q"), Filter: values.Get("filter"), Collection: values.Get("collection"), Sort: values.Get("sort"), Order: values.Get("order"),
		Asked: values.Has("q"), Profile: values.Get("profile") == "true"}
	if f.Collection == "" {
		f.Collection = ops.DefaultCollection
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values.Get(name)) > mostValues {
			return f, fault.New(fault.LimitExceeded, "%s has more than %d bytes", fault.Quote(name), mostValues)
		}
	}
	if from := values.Get("from"); from != "" {
		n, err := strconv.Atoi(from)
		if err != nil || n < 0 {
			return f, fault.New(fault.BadRequest, "from is a whole number that is not negative, not %s", fault.Quote(from))
		}
		f.From = n
	}
	return f, nil
}

// body is the body of POST /search that asks for this page.
func (f form) body() ([]byte, error) {
	body := map[string]any{"query": f.Query, "from": f.From, "limit": pageHits, "profile": f.Profile}
	if strings.TrimSpace(f.Query) == "" {
		body["query"] = "*"
	}
	if f.Filter != "" {
		body["filters"] = []string{f.Filter}
	}
	if f.Sort != "" {
		body["sort"] = f.Sort
	}
	if f.Order != "" {
		body["order"] = f.Order
	}
	return json.Marshal(body)
}

// link leads to the same search at another place.
func (f form) link(from int) string {
	v := url.Values{"q": {f.Query}, "collection": {f.Collection}}
	for name, value := range map[string]string{"filter": f.Filter, "sort": f.Sort, "order": f.Order} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if from > 0 {
		v.Set("from", strconv.Itoa(from))
	}
	if f.Profile {
		v.Set("profile", "true")
	}
	return "/?" + v.Encode()
}

// jsonLink leads to the answer as the API gives it.
func (f form) jsonLink() string {
	v := url.Values{"q": {f.Query}, "limit": {strconv.Itoa(pageHits)}, "from": {strconv.Itoa(f.From)}}
	for name, value := range map[string]string{"filter": f.Filter, "sort": f.Sort, "order": f.Order} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if f.Profile {
		v.Set("profile", "true")
	}
	return "/collections/" + url.PathEscape(f.Collection) + "/search?" + v.Encode()
}

// searchView is what the template of the search page shows.
type searchView struct {
	Page        string
	Host        string // by which the reader reached this server
	Form        form
	Collections []collectionView // none when there are none, or when they could not be listed
	Empty       bool             // there are none
	Sorts       []string         // besides the score
	Failure     *failure
	Answer      *answerView
}

// collectionView is one collection to choose.
type collectionView struct {
	Name      string
	Documents uint64
	Chosen    bool
}

// serveSearch makes the search page: the form, and the answer when something was asked.
func (p *Pages) serveSearch(w http.ResponseWriter, r *http.Request) {
	f, err := readForm(r.URL.Query())
	view := searchView{Page: "search", Host: r.Host, Form: f}
	ctx, cancel := context.WithTimeout(r.Context(), searchBudget)
	defer cancel()
	listed := make(chan []wire.CollectionBody, 1) // one sender
	go func() {                                   // ends with its call, within listBudget
		ctx, cancel := context.WithTimeout(ctx, listBudget)
		defer cancel()
		all, err := p.client.Collections(ctx)
		view.Empty = err == nil && len(all) == 0
		listed <- all
	}()
	if err == nil && f.Asked {
		view.Answer, err = p.ask(ctx, f)
	}
	view.choices(<-listed)
	status := http.StatusOK
	if err != nil {
		view.Failure = failureOf(err, f.Query)
		status = wire.FromError(err).Status()
	}
	p.render(w, p.search, status, view)
}

// Size is how many documents the collection has, in words.
func (c collectionView) Size() string {
	if c.Documents == 1 {
		return "1 document"
	}
	return count(c.Documents) + " documents"
}

// choices fills in what the reader can choose from.
func (v *searchView) choices(all []wire.CollectionBody) {
	sorts := []string{"id"}
	for _, c := range all {
		chosen := c.Name == v.Form.Collection
		v.Collections = append(v.Collections, collectionView{Name: c.Name, Documents: c.Documents, Chosen: chosen})
		if chosen {
			sorts = append(sorts, sortable(c.Schema)...)
		}
	}
	if v.Form.Sort != "" && v.Form.Sort != "score" && !slices.Contains(sorts, v.Form.Sort) {
		sorts = append(sorts, v.Form.Sort)
	}
	v.Sorts = sorts
	switch chosen := slices.ContainsFunc(v.Collections, func(c collectionView) bool { return c.Chosen }); {
	case chosen || len(all) == 0:
	case v.Form.Asked: // what was asked stays as it was, though there is no such collection
		v.Collections = append(v.Collections, collectionView{Name: v.Form.Collection, Chosen: true})
	default:
		v.Collections[0].Chosen = true
	}
}

// sortable gives the fields of a schema that order documents, as the parameter sort names them.
func sortable(raw json.RawMessage) []string {
	var schema struct {
		Fields map[string]struct {
			Type string `json:"type"`
		} `json:"fields"`
	}
	if json.Unmarshal(raw, &schema) != nil {
		return nil
	}
	var sorts []string
	for _, name := range slices.Sorted(maps.Keys(schema.Fields)) {
		switch schema.Fields[name].Type {
		case "long", "double", "date":
			sorts = append(sorts, "num:"+name)
		case "keyword":
			sorts = append(sorts, "key:"+name)
		}
	}
	return sorts
}

// ask searches as POST /search does.
func (p *Pages) ask(ctx context.Context, f form) (*answerView, error) {
	body, err := f.body()
	if err != nil {
		return nil, err
	}
	answer, err := p.client.SearchJSON(ctx, f.Collection, body)
	if err != nil {
		return nil, err
	}
	return viewAnswer(f, answer), nil
}
