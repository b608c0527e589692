package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/rows"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// contents writes what the table of the first scheme holds at the end, and what its last retrieve gave, with the columns
// of the files that keys and values are of. The first scheme is the first that is still there: others may lack something.
type contents struct {
	format string
	out    *regular.Output
	names  lua.Names
	lines  []string // where they are, and of what

	schemes []string // empty for those that are not there
	pair    schemes.Pair
	held    map[int]*holding // by scheme
	given   *rows.Table      // what the first one's last retrieve gave
}

// holding describes the pairs of a table, as far as they are known.
type holding struct {
	key, value meaning
	lost       uint64 // operations that found no room, or have a reserved key, since the table was empty
}

// meaning is what the numbers of several batches are of.
type meaning struct {
	known  bool // there was a batch
	fields []rows.Field
}

func (m *meaning) add(fields []rows.Field) {
	if m.known {
		fields = rows.Common(m.fields, fields)
	}
	*m = meaning{true, fields}
}

// openContents begins the file of the contents, so that mistakes show before the run.
func (s *Session) openContents() (*contents, error) {
	format, err := rows.WritableFormat(s.Contents)
	if err != nil {
		return nil, fmt.Errorf("--contents %w", err)
	}
	c := &contents{format: format, names: s.script.Contents}
	if c.out, err = regular.Create(s.Contents); err != nil {
		return nil, fmt.Errorf("--contents: %w", err)
	}
	return c, nil
}

// oneTable refuses a run that has more tables than the file takes.
func (r Request) oneTable(axes []run.Axis, points int) error {
	if r.Contents == "" || points == 1 {
		return nil
	}
	hint := ""
	for _, a := range axes {
		switch {
		case len(a.Values) > 1 && a.Name == run.Repeat:
			hint += " without --repeat"
		case len(a.Values) > 1:
			hint += fmt.Sprintf(" --axis %s=%s", a.Name, run.Text(a.Values[0]))
		}
	}
	return fmt.Errorf("--contents writes one table, and the run has %d, one at each point of its axes; hint:%s", points, hint)
}

// hear notes what batches are of.
func (c *contents) hear(e run.Event) error {
	switch e := e.(type) {
	case run.PointBegan:
		c.schemes, c.held, c.given = slices.Clone(e.Schemes), map[int]*holding{}, nil
		for i, name := range e.Schemes {
			if c.held[i] = (&holding{}); name != "" {
				c.pair = e.Shapes[i].Pair
			}
		}
	case run.Parted:
		if c.schemes == nil { // it never had a table
			return nil
		}
		if e.Scheme == c.first() {
			c.given = nil
		}
		c.schemes[e.Scheme] = ""
	case run.Cleared:
		c.held[e.Scheme] = &holding{}
	case run.Measured:
		if e.Scheme == c.first() && kernels.Op(e.Sample.Op).Answer == kernels.Rows {
			return c.rows(e)
		}
		c.held[e.Scheme].add(e, c.pair)
	}
	return nil
}

func (c *contents) first() int {
	return slices.IndexFunc(c.schemes, func(name string) bool { return name != "" })
}

// add notes what the pairs of a batch are of.
func (h *holding) add(e run.Measured, pair schemes.Pair) {
	h.lost += e.Sample.Counts.Get("failed") + e.Sample.Counts.Get("rejected")
	for _, name := range append(slices.Clone(e.Batch.Mixed), e.Batch.Op) {
		op := kernels.Op(name)
		if op.Kind == kernels.OnKeys && op.Adds {
			h.key.add(fieldsOf(e.Batch.Keys))
		}
		if op.Kind == kernels.OnKeys && (op.Adds || op.Becomes == kernels.Gives) {
			h.value.add(valueOf(op, e.Batch, pair))
		}
	}
}

// valueOf is what the values of an operation are of.
func valueOf(op kernels.Operation, b engine.Batch, pair schemes.Pair) []rows.Field {
	switch {
	case !op.Value:
		return []rows.Field{rows.Plain("count")}
	case op.Becomes != kernels.Sums:
		return fieldsOf(b.Values)
	}
	return lists.Map(fieldsOf(b.Values), func(f rows.Field) rows.Field { return f.Sum(min(pair.Value, 8)) })
}

func fieldsOf(s engine.Stream) []rows.Field {
	if of, ok := s.(interface{ Fields() []rows.Field }); ok {
		return of.Fields()
	}
	return nil
}

// rows keeps what a retrieve gave: a row for each value, in the order of the keys.
func (c *contents) rows(e run.Measured) error {
	columns, err := e.Input.Columns()
	if err != nil {
		return err
	}
	listed := e.Sample.Listed
	listed.Sort()
	keys := lists.Map(listed.Of, func(of uint64) uint64 { return engine.Number(columns.Keys, columns.KeyWidth, int(of)) })
	row := rows.Plain(cmp.Or(c.names.Row, "row"))
	c.given = c.table(fieldsOf(e.Batch.Keys), keys, listed.Values)
	c.given.Add(row, listed.Of)
	return nil
}

// table has the columns of keys and values. Those that are of no file have names that the script gives.
func (c *contents) table(of []rows.Field, keys, values []uint64) *rows.Table {
	t := &rows.Table{}
	t.AddKeys(named(of, "key", c.names.Key, c.pair.Key), keys)
	if c.pair.Value > 0 {
		t.AddKeys(named(c.held[c.first()].value.fields, "value", c.names.Value, min(c.pair.Value, 8)), values)
	}
	return t
}

// named are the columns, or a plain one with the usual name, and with the script's name if it is one.
func named(fields []rows.Field, usual, name string, width int) []rows.Field {
	if fields = slices.Clone(fields); len(fields) == 0 {
		fields = []rows.Field{rows.Plain(usual)}
	}
	if len(fields) == 1 {
		fields[0].Name, fields[0].Bits = cmp.Or(name, fields[0].Name), 8*width
	}
	return fields
}

func (c *contents) write(tables map[int]engine.Contents) error {
	first := c.first()
	held, there := tables[first]
	if !there {
		return errors.New("--contents: no scheme has a table at the end")
	}
	t := c.table(c.held[first].key.fields, held.Keys, held.Values)
	t.Sort()
	if err := t.Write(c.out, c.format); err != nil {
		return regular.Cause(err)
	}
	if err := c.out.Commit(); err != nil {
		return err
	}
	c.lines = append(c.lines, fmt.Sprintf("contents: %s (%d rows, of %s%s)", c.out.Path(), t.Rows(), c.schemes[first], c.others(tables)))
	if c.given == nil {
		return nil
	}
	path := regular.Beside(c.out.Name(), "retrieved")
	err := regular.Write(path, func(to *regular.Output) error { return c.given.Write(to, c.format) })
	if err == nil {
		c.lines = append(c.lines, fmt.Sprintf("retrieved: %s (%d rows)", path, c.given.Rows()))
	}
	return err
}

// others says what is wrong with the contents: operations that are missing, and other tables that hold something else.
func (c *contents) others(tables map[int]engine.Contents) (text string) {
	if lost := c.held[c.first()].lost; lost > 0 {
		text = fmt.Sprintf("; %d operations found no room or have a reserved key, and are missing", lost)
	}
	var other []string
	for i, name := range c.schemes {
		if t, there := tables[i]; there && t.Digest != tables[c.first()].Digest {
			other = append(other, name)
		}
	}
	if len(other) > 0 {
		text += "; other pairs are in the tables of " + strings.Join(other, ", ")
	}
	return text
}

// end writes the contents, or leaves nothing behind: those of a run that ended early are of no use.
func (c *contents) end(tables map[int]engine.Contents) (err error) {
	switch {
	case c == nil:
		return nil
	case tables == nil:
		c.lines = []string{"contents: not written, since the run did not reach its end"}
	default:
		err = c.write(tables)
	}
	return errors.Join(err, c.discard())
}

// discard removes the file, unless it is whole.
func (c *contents) discard() error {
	if c == nil || c.out.Path() == c.out.Name() {
		return nil
	}
	err := c.out.Discard()
	if errors.As(err, new(*regular.Failure)) {
		return nil // it was told
	}
	return err
}

// files are the JSON document and the NDJSON lines that a session writes; nil: not wanted.
type files struct {
	json, ndjson *regular.Output
	lines        *json.Encoder
	row          func(results.Row) results.Row
}

func openFiles(r Request, about results.Run) (f files, err error) {
	f.row = r.Row
	if f.json, err = r.create(r.JSON); err != nil {
		return f, err
	}
	if f.ndjson, err = r.create(r.NDJSON); err != nil || f.ndjson == nil {
		return f, err
	}
	f.lines = json.NewEncoder(f.ndjson)
	return f, f.lines.Encode(results.Line{Schema: results.Schema, Run: &about})
}

func (r Request) create(path string) (*regular.Output, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return regular.Through(r.Out), nil
	}
	return regular.Create(path)
}

// outputs are the files that a run writes, each after its flag.
func (r Request) outputs() [][2]string {
	list := [][2]string{{"--json", r.JSON}, {"--ndjson", r.NDJSON}, {"--record", r.Recording}, {"--contents", r.Contents}}
	if r.Contents != "" {
		list = append(list, [2]string{"--contents", regular.Beside(r.Contents, "retrieved")})
	}
	return slices.DeleteFunc(list, func(o [2]string) bool { return o[1] == "" || o[1] == "-" })
}

// distinct refuses two outputs with one name, and one with the name of what is run.
func (r Request) distinct() error {
	outputs := r.outputs()
	for i, o := range outputs {
		for _, other := range outputs[:i] {
			if regular.Same(o[1], other[1]) {
				return fmt.Errorf("%s is %s, which %s writes: it takes another file", o[0], o[1], other[0])
			}
		}
	}
	return r.keeps(r.Script)
}

// keeps refuses an output that would replace a file which is read.
func (r Request) keeps(read string) error {
	for _, o := range r.outputs() {
		if regular.Same(o[1], read) {
			return fmt.Errorf("%s is %s, which is being read: it takes another file", o[0], o[1])
		}
	}
	return nil
}

func (f files) write(p run.PointEnded) error {
	if f.lines == nil {
		return nil
	}
	d := results.Document{Rows: lists.Map(p.Rows, f.row), Summaries: p.Summaries, LeftOut: p.LeftOut}
	return lists.Each(d.Lines(), func(l results.Line) error { return f.lines.Encode(l) })
}

// close ends the files. Those of a run that ended early replace no others.
func (f files) close(d results.Document, early bool) error {
	end := lists.Either(early, (*regular.Output).Keep, (*regular.Output).Commit)
	var errs []error
	if f.json != nil {
		errs = append(errs, f.writeJSON(d), end(f.json))
	}
	if f.lines != nil {
		errs = append(errs, f.lines.Encode(results.Line{End: &d.End}), end(f.ndjson))
	}
	if err := cmp.Or(errs...); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

func (f files) writeJSON(d results.Document) error {
	d.Rows = slices.Clone(d.Rows)
	for i, row := range d.Rows {
		d.Rows[i] = f.row(row)
	}
	err := results.WriteJSON(f.json, d)
	if err != nil {
		_ = f.json.Discard() // a part of a document is of no use
	}
	return err
}

// Written says where the results and the recording are, a line each; nothing after a failure to write one.
func (s *Session) Written(failure error) (lines []string) {
	if errors.As(failure, new(*regular.Failure)) {
		return nil
	}
	add := func(kind string, o *regular.Output) {
		switch {
		case o == nil || o.Path() == "":
		case o.Path() == o.Name():
			lines = append(lines, kind+": "+o.Path())
		default:
			lines = append(lines, fmt.Sprintf("%s: %s (%s takes only whole runs)", kind, o.Path(), o.Name()))
		}
	}
	if s.recorder != nil {
		add("recording", s.recorder.Output())
	}
	add("results", s.files.json)
	add("results", s.files.ndjson)
	if s.held != nil {
		lines = append(lines, s.held.lines...)
	}
	return lines
}

// withOutput joins two errors, but says only once that files cannot be written.
func withOutput(err, closing error) error {
	return lists.Either(errors.As(err, new(*regular.Failure)), regular.Cause(err), errors.Join(err, regular.Cause(closing)))
}
