package record

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// The lines of a recording, in the order in which they come (docs/recordings.md).

const mark = "hashzoo recording"

// lines are those of the header.
func (h Header) lines() []string {
	list := []string{fmt.Sprintf("%s %d.%d %s", mark, Major, Minor, h.Kind)}
	program := line{word: "program"}
	program.add("version", h.Version)
	program.add("revision", h.Revision)
	program.count("generators", h.Generators)
	program.count("digests", h.Digests)
	made := line{word: "run"}
	made.add("seed", strconv.FormatUint(h.Seed, 10))
	made.text("device", h.Device)
	made.add("started", h.Started)
	list = append(list, program.String(), made.String())
	list = append(list, h.Script.lines()...)
	for _, o := range h.Options {
		l := line{word: "option"}
		l.text("name", o.Name)
		l.text("value", o.Value)
		list = append(list, l.String())
	}
	return list
}

const quote = "| " // in front of a line of the script

func (s Script) lines() []string {
	l := line{word: "script"}
	l.text("name", s.Name)
	l.add("hash", s.Hash)
	list := []string{l.String()}
	if s.Source == "" {
		return list
	}
	for source := range strings.SplitSeq(s.Source, "\n") {
		list = append(list, quote+source)
	}
	return list
}

func pointLine(at run.Point) string {
	l := line{word: "point"}
	for _, c := range at {
		if text, ok := c.Value.(string); ok {
			l.text(c.Name, text)
		} else {
			l.add(c.Name, run.Text(c.Value))
		}
	}
	return l.String()
}

func tableLine(scheme string, shape schemes.Shape) string {
	l := line{word: "table"}
	l.text("scheme", scheme)
	l.add("pair", shape.Pair.String())
	l.flag("host", shape.Host)
	l.count("capacity", shape.Capacity)
	l.count("n", shape.N)
	if shape.Load > 0 {
		l.add("load", strconv.FormatFloat(shape.Load, 'g', -1, 64))
	}
	l.count("bytes", shape.Bytes)
	return l.String()
}

// lines are those of a point before its first phase.
func (p *Point) lines() []string {
	list := []string{pointLine(p.At), tableLine(p.Scheme, p.Shape)}
	for _, scheme := range p.Also {
		list = append(list, alsoLine(scheme))
	}
	for _, plugin := range p.Plugins {
		l := line{word: "plugin"}
		l.text("scheme", plugin.Name)
		l.add("hash", plugin.Hash)
		list = append(list, l.String())
	}
	return list
}

func alsoLine(scheme string) string {
	l := line{word: "also"}
	l.text("scheme", scheme)
	return l.String()
}

// stoppedLine says why a run ended: in a line, and not at any length.
func stoppedLine(why string) string {
	const most = 400
	why = strings.Join(strings.Fields(why), " ")
	if len(why) > most {
		why = strings.ToValidUTF8(why[:most], "") + "..."
	}
	l := line{word: "stopped"}
	l.text("why", why)
	return l.String()
}

func phaseLine(s run.Stage) string {
	l := line{word: "phase"}
	l.text("name", s.Name)
	l.count("warmup", s.Warmup)
	if s.Rate > 0 {
		l.add("rate", strconv.FormatFloat(s.Rate, 'g', -1, 64))
	}
	return l.String()
}

func (b *Batch) line(round uint64) string {
	l := line{word: "batch"}
	l.add("number", strconv.FormatUint(b.Number, 10))
	l.add("op", b.Op)
	l.count("n", b.N)
	l.count("capacity", b.Capacity)
	l.count("round", round)
	l.flag("warmup", b.Warmup)
	l.add("input", b.Input)
	for _, name := range outcomes {
		l.count(name, b.Counts[name])
	}
	l.add("result", b.Result)
	l.add("check", string(b.Check))
	l.count("at", uint64(b.At))
	l.count("took", uint64(b.Took))
	l.add("mixed", strings.Join(b.Mixed, ","))
	l.expression("keys", b.Keys)
	l.expression("values", b.Values)
	l.expression("ops", b.Ops)
	return l.String()
}

// expression appends a stream's text, which is quoted in any case.
func (l *line) expression(name, text string) {
	if text != "" {
		l.text(name, text)
	}
}

func clearLine(round uint64, reseed bool) string {
	l := line{word: "clear"}
	l.count("round", round)
	l.flag("reseed", reseed)
	return l.String()
}

func (c Contents) line() string {
	l := line{word: "contents"}
	l.add("pairs", strconv.FormatUint(c.Pairs, 10))
	l.add("digest", c.Digest)
	l.add("check", string(c.Check))
	return l.String()
}

// entry is a line of the index: where a phase begins.
type entry struct {
	point  int // from 1 on
	phase  string
	batch  uint64 // the number of its first batch
	offset uint64 // of its line in the text, in bytes
}

func (e entry) line() string {
	l := line{word: "index"}
	l.count("point", uint64(e.point))
	l.text("phase", e.phase)
	l.count("batch", e.batch)
	l.count("offset", e.offset)
	return l.String()
}

func endLine(batches, operations uint64, digest string) string {
	l := line{word: "end"}
	l.add("batches", strconv.FormatUint(batches, 10))
	l.add("operations", strconv.FormatUint(operations, 10))
	l.add("digest", digest)
	return l.String()
}
