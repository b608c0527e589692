// Package suite asks all schemes the same questions, and checks the files with the answers. The questions are in
// scripts/suite/questions.toml: scripts that ship, with their options. A suite is a sweep over them that is measured
// several times, and a file of results whose rows name their question.
package suite

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// Suite is the declaration of the questions, for a kind of device.
type Suite struct {
	Settings  map[string]string // that everybody measures with
	Questions []Question        `toml:"question"`
	results.Suite
}

// Question is a question with its sizes, which are options of the script.
type Question struct {
	results.Question
	GPU, CPU map[string]float64
}

const (
	leastSize   = 512 // to which a trial is scaled
	trialPasses = 2
)

// New is the suite that ships.
func New(gpu bool, scale float64) (s Suite, err error) {
	name, text := scripts.Questions()
	if err := tomlfile.Decode(name, text, &s); err != nil {
		return s, err
	}
	all := xxh3.New()
	_, _ = all.WriteString(text)
	for _, q := range s.Questions {
		script, err := scripts.Find(q.Script)
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		_, _ = all.WriteString(script.Source)
		sizes := map[bool]map[string]float64{true: q.GPU, false: q.CPU}[gpu]
		for _, option := range slices.Sorted(maps.Keys(sizes)) {
			q.Set = append(q.Set, fmt.Sprintf("%s=%.0f", option, max(leastSize, math.Round(scale*sizes[option]))))
		}
		s.Suite.Questions = append(s.Suite.Questions, q.Question)
	}
	s.Digest, s.Scale = fmt.Sprintf("%x", all.Sum128().Bytes()), scale
	if scale < 1 {
		s.Passes = trialPasses
	}
	return s, nil
}

// Ask makes a request one for a question.
func Ask(q results.Question, r session.Request) session.Request {
	r.Script, r.Set, r.Axis = q.Script, q.Set, q.Axis
	return r
}

// Parts are those of the sweep, pass by pass. Those of several questions may be the same.
func (s Suite) Parts(asked []string) (list []sweep.Part) {
	for pass := range s.Passes {
		for _, q := range s.Suite.Questions {
			part := sweep.Part{Script: q.Script, Set: q.Set, Axis: q.Axis, Schemes: asked, Pass: pass + 1}
			if list = append(list, part); len(q.Chosen) > 0 {
				part.Schemes = q.Chosen
				list = append(list, part)
			}
		}
	}
	return list
}

// Axis is that of the questions.
const Axis = "question"

// Document is the file of the passes that the sweep of a suite has finished: of each row the median of all passes. A point
// that failed is finished.
func (s Suite) Document(on sweep.Sweep, points []sweep.Point) (d results.Document, err error) {
	failed, err := s.finished(on, points)
	side := analysis.Side{Files: make([]analysis.File, s.Passes)}
	for _, p := range points {
		part := on.Parts[p.Part]
		if p.Part == 0 {
			s.Schemes = append(s.Schemes, p.Config.String())
		}
		if err == nil && part.Pass <= s.Passes {
			err = s.add(&d, &side.Files[part.Pass-1].Document, on, p, failed[place(part, p)])
		}
	}
	if err == nil {
		s.Program, err = sweep.ProgramDigest()
	}
	if err == nil && d.Schema == "" {
		err = fmt.Errorf("every point failed, such as %s: %s", d.LeftOut[0].Scheme, d.LeftOut[0].Reason)
	}
	if err != nil {
		return d, err
	}
	if d.Rows = side.Files[0].Rows; s.Passes > 1 {
		d.Rows = side.Merge()
	}
	isOf := func(l results.LeftOut) string { return fmt.Sprint(l.Scheme, l.Point[Axis]) }
	d.LeftOut = lists.Map(lists.Groups(d.LeftOut, isOf), func(l []results.LeftOut) results.LeftOut { return l[0] })
	out := lists.Map(d.LeftOut, isOf)
	d.Rows = slices.DeleteFunc(d.Rows, func(r results.Row) bool { return slices.Contains(out, fmt.Sprint(r.Scheme, r.Point[Axis])) })
	d.Run.Script, d.Run.Suite, d.Run.Command = nil, &s.Suite, on.Command
	d.End.Seals = d.Seals()
	return d, nil
}

// add adds a point: its rows to its pass, and all else to the document. All points are of one machine and program.
func (s Suite) add(d, pass *results.Document, on sweep.Sweep, p sweep.Point, failed string) (err error) {
	var one results.Document
	if failed == "" {
		one, err = on.Read(p.Ref)
	}
	pass.Rows = append(pass.Rows, s.answers(on.Parts[p.Part], &one, p.Config.String(), failed)...)
	if one.Rows = nil; failed != "" || err != nil {
		d.LeftOut = append(d.LeftOut, one.LeftOut...)
		return err
	}
	d.Join(one)
	about := func(r results.Run) []any {
		r.Device.Name = "" // any of several GPUs
		return []any{r.Device, r.Host, r.Build}
	}
	if !reflect.DeepEqual(about(d.Run), about(one.Run)) {
		return fmt.Errorf("some points are of %s on %s, and some of %s on %s: they belong into two files; hint: another -o",
			d.Run.Device.Model, d.Run.Host.Name, one.Run.Device.Model, one.Run.Host.Name)
	}
	return nil
}

// place is what a point has in common with those of other passes.
func place(part sweep.Part, p sweep.Point) string {
	return fmt.Sprint(part.Script, part.Set, part.Axis, p.Config)
}

// finished says why points have failed, and cuts the passes to those that are whole.
func (s *Suite) finished(on sweep.Sweep, points []sweep.Point) (failed map[string]string, err error) {
	status, err := on.Status()
	done, wrong := on.Done()
	failed = map[string]string{}
	for _, p := range points {
		i := slices.IndexFunc(status.Failed, func(f sweep.Failure) bool { return f.Name == p.Name })
		switch {
		case i >= 0:
			failed[place(on.Parts[p.Part], p)] = status.Failed[i].Why
		case !slices.Contains(done, p.Ref):
			s.Passes = min(s.Passes, on.Parts[p.Part].Pass-1)
		}
	}
	if err = errors.Join(err, wrong); err == nil && s.Passes == 0 {
		err = fmt.Errorf("%d of %d points are done, and the file takes the first pass over all questions", len(done), len(points))
	}
	return failed, err
}

// answers are the rows of a point, with the names of the questions. Of questions without rows, the document says why.
func (s Suite) answers(part sweep.Part, d *results.Document, scheme, failed string) (answers []results.Row) {
	for _, s := range d.Summaries {
		for _, t := range s.Thresholds {
			if !t.Holds {
				failed = cmp.Or(failed, fmt.Sprintf("its answers are wrong: %s, and it is %v", t.Condition, t.Value))
			}
		}
	}
	why := failed
	for _, l := range d.LeftOut {
		why = cmp.Or(why, l.Reason)
	}
	d.LeftOut, d.Summaries = nil, nil
	for _, q := range s.Suite.Questions {
		asked := slices.Contains(s.Schemes, scheme) || slices.Contains(q.Chosen, scheme)
		if !asked || fmt.Sprint(q.Script, q.Set, q.Axis) != fmt.Sprint(part.Script, part.Set, part.Axis) {
			continue
		}
		own := lists.Filter(d.Rows, func(r results.Row) bool { return r.Phase == q.Phase })
		if why == "" && slices.ContainsFunc(own, func(r results.Row) bool { return r.Op == q.Op }) {
			answers = append(answers, lists.Map(own, func(r results.Row) results.Row { return labeled(r, q.Name) })...)
			continue
		}
		d.LeftOut = append(d.LeftOut, results.LeftOut{Scheme: scheme, Point: results.Point{Axis: q.Name}, Failed: failed != "",
			Reason: cmp.Or(why, "it takes no part in the phase "+q.Phase)})
	}
	return answers
}

func labeled(r results.Row, question string) results.Row {
	at := results.Point{Axis: question}
	maps.Copy(at, r.Point)
	r.Point = at
	return r
}
