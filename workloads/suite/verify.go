package suite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Checked says how many rows of a question were checked, and how.
type Checked struct {
	Question string `json:"question"`
	Rows     int    `json:"rows"`
	Oracle   bool   `json:"oracle"`  // the question was asked again here, and an oracle checked the answers
	Inputs   int    `json:"inputs"`  // have the input of that, or of each other
	Results  int    `json:"results"` // have the answers and counts of that, or of each other; others had failed operations
	Layouts  int    `json:"layouts"` // have the capacity and the memory that their parameters give; others grow, or are of no scheme here
}

// verification of a file. It ends with the first row that is wrong.
type verification struct {
	results.Document
	asked map[string]bool // questions for the oracle
	list  []*Checked
}

// Verify derives again what can be derived of a file: the digests of its rows and of the whole, and for each question the
// tables that the parameters give. It asks some questions again, on a CPU and with the oracle; the rows of others must
// agree with each other.
func Verify(ctx context.Context, d results.Document, base session.Request, questions []string) ([]*Checked, error) {
	s, err := declared(d)
	if err != nil {
		return nil, err
	}
	v := &verification{Document: d, asked: map[string]bool{}}
	if err := v.whole(); err != nil {
		return nil, err
	}
	if err := v.draw(questions); err != nil {
		return nil, err
	}
	for _, r := range s.Runs {
		q := r.Ask(base)
		q.Seed, q.Choice.Schemes = d.Run.Seed, nil
		q.Run = func(ctx context.Context, dev device.Device, plan run.Plan, _ run.Listener) error { return v.run(ctx, dev, plan, r) }
		opened, err := q.Open(ctx)
		if err == nil {
			err = opened.Run(ctx, session.Watcher{Hear: func(run.Event) {}, Print: func(string, string) {}})
		}
		if err != nil {
			return v.list, err
		}
	}
	return v.list, nil
}

// Sampled is the number of questions that are drawn.
const Sampled = 4

// draw says which questions are asked again.
func (v *verification) draw(names []string) error {
	all := lists.Map(v.Run.Suite.Questions, func(q results.Question) string { return q.Name })
	switch {
	case len(names) == 0:
		names = lists.Map(rand.Perm(len(all))[:Sampled], func(i int) string { return all[i] })
	case slices.Equal(names, []string{"all"}):
		names = all
	}
	for _, name := range names {
		if err := nearest.Check("question", name, all); err != nil {
			return err
		}
		v.asked[name] = true
	}
	return nil
}

// declared is the suite of a file, which must be that of this program.
func declared(d results.Document) (s Suite, err error) {
	about, b, here := d.Run.Suite, d.Run.Build, results.ThisBuild()
	switch {
	case about == nil:
		return s, errors.New("it is no file of hashzoo suite")
	case !d.End.Whole():
		return s, fmt.Errorf("it is not whole: %s", d.End.Why())
	case b.Generators != here.Generators || b.Digests != here.Digests:
		return s, fmt.Errorf("its generators and digests have versions %d and %d, those of this program %d and %d: inputs cannot be compared", b.Generators, b.Digests, here.Generators, here.Digests)
	}
	if s, err = New(d.Run.Device.Driver != "", about.Scale); err != nil {
		return s, err
	}
	if about.Version != s.Version || about.Digest != s.Digest {
		return s, fmt.Errorf("its questions are %s with digest %.8s, those of this program %s with %.8s", about.Version, about.Digest, s.Version, s.Digest)
	}
	return s, s.same(about)
}

// same compares the questions of a file with those that it should have.
func (s Suite) same(about *results.Suite) error {
	questions := s.about(0, nil).Questions
	if len(questions) != len(about.Questions) {
		return fmt.Errorf("it has %d questions of %d", len(about.Questions), len(questions))
	}
	for i, q := range about.Questions {
		questions[i].Chosen = q.Chosen
		if !reflect.DeepEqual(q, questions[i]) {
			return fmt.Errorf("question %s: it was edited, or is of another program", q.Name)
		}
	}
	return nil
}

// whole checks the digests, and that each scheme has one answer to each question.
func (v *verification) whole() error {
	switch i := v.Unsealed(); {
	case i == len(v.Rows):
		return errors.New("it was edited: the digest of the whole is another one")
	case i >= 0:
		return refused(v.Rows[i], "it was edited, or is of another run: its digest is another one")
	}
	have := map[string]bool{}
	for _, r := range v.Rows {
		one := fmt.Sprint(r.Point[Axis], " ", r.Scheme, " ", r.Op)
		if have[one] {
			return refused(r, "the row is there twice")
		}
		have[one] = true
		if err := plausible(r); err != nil {
			return err
		}
	}
	return nil
}

// refused is the error of a row.
func refused(r results.Row, format string, why ...any) error {
	return fmt.Errorf("row of question %v, %s %s: %s", r.Point[Axis], r.Scheme, r.Op, fmt.Sprintf(format, why...))
}

// plausible compares the numbers of a row with each other.
func plausible(r results.Row) error {
	counted := uint64(0)
	for _, outcome := range kernels.Outcomes[1:] {
		counted += r.Counts[outcome]
	}
	switch {
	case !isTableOp(r) && counted != r.N:
		return refused(r, "%d operations, of which %d are counted", r.N, counted)
	case r.Completed > r.N-failures(r) || !fails(r) && r.Completed != r.N:
		return refused(r, "%d of %d operations are said to be completed, and %d failed", r.Completed, r.N, failures(r))
	case r.Size > r.Capacity || r.Load != float64(r.Size)/float64(r.Capacity):
		return refused(r, "%d pairs in %d slots are no load factor of %g", r.Size, r.Capacity, r.Load)
	case r.BytesPerPair != nil && *r.BytesPerPair != float64(r.TableBytes)/float64(r.Size):
		return refused(r, "%d bytes for %d pairs are not %g for each", r.TableBytes, r.Size, *r.BytesPerPair)
	}
	return nil
}

func isTableOp(r results.Row) bool { return slices.Contains(schemes.TableOps, r.Op) }

// fails reports whether operations found no room, so that what others answer depends on the device.
func fails(r results.Row) bool { return failures(r) > 0 || r.Lost != "" }

func failures(r results.Row) uint64 { return r.Counts["failed"] + r.Counts["rejected"] }

// run checks the rows of the questions that a run answers.
func (v *verification) run(ctx context.Context, dev device.Device, plan run.Plan, r Run) error {
	for _, q := range r.Questions {
		c := &Checked{Question: q.Name, Oracle: v.asked[q.Name]}
		v.list = append(v.list, c)
		if err := v.tables(plan, q, c); err != nil {
			return err
		}
	}
	var fresh []results.Row
	if slices.ContainsFunc(r.Questions, func(q results.Question) bool { return v.asked[q.Name] }) {
		var err error
		if fresh, err = v.askAgain(ctx, dev, plan, r); err != nil {
			return err
		}
	}
	for _, c := range v.list[len(v.list)-len(r.Questions):] {
		if err := v.compare(c, fresh); err != nil {
			return err
		}
	}
	return nil
}

// of are the rows of a question.
func (v *verification) of(question string) []results.Row {
	return lists.Filter(v.Rows, func(r results.Row) bool { return r.Point[Axis] == question })
}
