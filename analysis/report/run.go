package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	numbers "github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// runOf describes one side, with the command that repeats it.
type runOf struct {
	Name, About, Device, When, Seed string
	Command                         []string // quoted for a shell
}

func newRun(s analysis.Side) runOf {
	run := s.Files[0].Run
	d := run.Device
	workers := numbers.Count(d.Threads, "thread")
	if d.Driver != "" { // a GPU
		workers = numbers.Count(d.Threads, "multiprocessor")
	}
	r := runOf{Name: s.Name, About: about(run.Script), When: when(s),
		Device: fmt.Sprintf("%s (%s), %s, on %s", d.Model, d.Name, workers, run.Host.Name),
		Seed:   strings.Join(lists.Unique(lists.Map(s.Files, func(f analysis.File) string { return fmt.Sprint(f.Run.Seed) })), ", ")}
	r.Command, _ = analysis.Repeated(run.Command, len(s.Files))
	return r
}

// about is the comment that a script begins with, which says what it does.
func about(s *results.Script) string {
	if s == nil {
		return ""
	}
	first, _, _ := strings.Cut(s.Source, "\n")
	comment, isComment := strings.CutPrefix(first, "--")
	if !isComment {
		return ""
	}
	return strings.TrimSpace(comment)
}

// when says when the runs began and how long they took.
func when(s analysis.Side) string {
	first, took := s.Files[0].Run.Started, time.Duration(0)
	for _, f := range s.Files {
		if f.Run.Started.Before(first) {
			first = f.Run.Started
		}
		took += f.End.Finished.Sub(f.Run.Started)
	}
	text := first.UTC().Format("2006-01-02 15:04 UTC")
	if took > 0 {
		text += ", took " + took.Round(time.Second/10).String()
	}
	if n := len(s.Files); n > 1 {
		text += fmt.Sprintf(", in %d runs", n)
	}
	return text
}

// source is a script that was run.
type source struct{ Name, Text string }

func sourcesOf(sides []analysis.Side) (list []source) {
	for _, s := range sides {
		for _, f := range s.Files {
			if f.Run.Script == nil {
				continue
			}
			list = lists.Add(list, source{f.Run.Script.Name, strings.ReplaceAll(f.Run.Script.Source, "\r\n", "\n")})
		}
	}
	return list
}
