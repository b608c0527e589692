package record

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// parser makes a recording of its lines, one by one.
type parser struct {
	rec    *Recording
	hash   *xxh3.Hasher // of all lines so far
	offset uint64       // bytes so far
	number int          // of the line, from 1 on
	index  []entry      // of the phases so far
	listed int          // entries that the file has repeated
	ended  bool

	source  []string // of the script
	parsed  map[string]stream.Stream
	lenient bool // a newer minor version: unknown words and fields are passed over
}

func newParser() *parser {
	return &parser{rec: &Recording{}, hash: xxh3.New(), parsed: map[string]stream.Stream{}}
}

// words are the lines that there are, by their first word.
var words = map[string]func(*parser, line) error{
	"program": (*parser).program, "run": (*parser).run, "script": (*parser).script, "option": (*parser).option,
	"point": (*parser).point, "table": (*parser).table, "also": (*parser).also, "plugin": (*parser).plugin, "phase": (*parser).phase,
	"batch": (*parser).batch, "clear": (*parser).clear, "contents": (*parser).contents,
	"stopped": (*parser).stopped, "index": (*parser).entry, "end": (*parser).end,
}

// line takes the next line, without its end.
func (p *parser) line(text string) error {
	p.number++
	if err := p.take(text); err != nil {
		return fmt.Errorf("line %d: %w", p.number, err)
	}
	if p.offset += uint64(len(text)) + 1; p.offset > maxText {
		return fmt.Errorf("line %d: more than %d bytes of text", p.number, maxText)
	}
	if !p.ended {
		p.hash.WriteString(text)
		p.hash.WriteString("\n")
	}
	return nil
}

func (p *parser) take(text string) error {
	switch source, quoted := strings.CutPrefix(text, quote); {
	case p.ended:
		return errors.New("something follows the end")
	case p.number == 1:
		return p.first(text)
	case quoted && p.rec.Points == nil:
		p.source = append(p.source, source)
		return nil
	}
	l, err := parseLine(text)
	if err != nil {
		return err
	}
	read, known := words[l.word]
	if !known && p.lenient {
		return nil
	}
	if !known {
		return nearest.Unknown("line", l.word, slices.Sorted(keysOf(words)))
	}
	if p.rec.Stopped != "" && l.word != "index" && l.word != "end" {
		return fmt.Errorf("%s after the run was stopped", l.word)
	}
	return read(p, l)
}

// first reads the mark and the version.
func (p *parser) first(text string) error {
	version, ok := strings.CutPrefix(text, mark+" ")
	number, kind, _ := strings.Cut(version, " ")
	major, minor, _ := strings.Cut(number, ".")
	m, err := strconv.ParseUint(major, 10, 32)
	n, minorErr := strconv.ParseUint(minor, 10, 32)
	switch {
	case !ok || err != nil || minorErr != nil:
		return fmt.Errorf("it is no recording: the first line is %s, not %q and a version", shorten(text), mark)
	case m != Major:
		return fmt.Errorf("it is of version %d.%d, this program reads %d.0 to %d.%d and later ones of %d", m, n, Major, Major, Minor, Major)
	case Kind(kind) != Recipe && Kind(kind) != Materialised:
		return fmt.Errorf("it is a recording of the kind %s, allowed are %s and %s", shorten(kind), Recipe, Materialised)
	}
	p.rec.Minor, p.rec.Kind, p.lenient = n, Kind(kind), n > Minor
	return nil
}

// only refuses unknown fields, unless the file is of a newer version.
func (p *parser) only(l line, known ...string) error {
	if p.lenient {
		return nil
	}
	return l.only(known...)
}

func (p *parser) program(l line) (err error) {
	h := &p.rec.Header
	h.Version, h.Revision = l.get("version"), l.get("revision")
	if h.Generators, err = l.number("generators", math.MaxUint32); err != nil {
		return err
	}
	if h.Digests, err = l.number("digests", math.MaxUint32); err != nil {
		return err
	}
	return p.only(l, "version", "revision", "generators", "digests")
}

func (p *parser) run(l line) (err error) {
	h := &p.rec.Header
	h.Device, h.Started = l.get("device"), l.get("started")
	if h.Seed, err = l.number("seed", math.MaxUint64); err != nil {
		return err
	}
	return p.only(l, "seed", "device", "started")
}

func (p *parser) script(l line) error {
	p.rec.Script = Script{Name: l.get("name"), Hash: l.get("hash")}
	return p.only(l, "name", "hash")
}

func (p *parser) option(l line) error {
	p.rec.Options = append(p.rec.Options, Option{l.get("name"), l.get("value")})
	return p.only(l, "name", "value")
}

// point ends the header, or the point before.
func (p *parser) point(l line) error {
	if p.rec.Points == nil {
		if err := p.headed(); err != nil {
			return err
		}
	}
	if err := p.tabled(); err != nil {
		return err
	}
	at := run.Point{}
	for _, f := range l.fields {
		value, err := f.coordinate()
		if err != nil {
			return err
		}
		at = append(at, run.Coordinate{Name: f.name, Value: value})
	}
	p.rec.Points = append(p.rec.Points, &Point{At: at})
	return nil
}

// tabled says whether the last point has a table.
func (p *parser) tabled() error {
	if n := len(p.rec.Points); n > 0 && p.rec.Points[n-1].Scheme == "" {
		return errors.New("a point without a table")
	}
	return nil
}

// headed holds the header against itself when it is over.
func (p *parser) headed() error {
	s := &p.rec.Script
	if s.Source = strings.Join(p.source, "\n"); s.Source != "" && hashOf(s.Source) != s.Hash {
		return fmt.Errorf("the script is not the one that was recorded: its hash is %s instead of %s", hashOf(s.Source), shorten(s.Hash))
	}
	return p.rec.check()
}

func (f field) coordinate() (any, error) {
	if f.quoted {
		return f.value, nil
	}
	if f.value == "true" || f.value == "false" {
		return f.value == "true", nil
	}
	x, err := strconv.ParseFloat(f.value, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return nil, fmt.Errorf("%s is %s: it takes a number, true, false, or a text in quotes", f.name, shorten(f.value))
	}
	return x, nil
}

// at is the last point, of which something more is said.
func (p *parser) at(l line) (*Point, error) {
	if n := len(p.rec.Points); n > 0 {
		return p.rec.Points[n-1], nil
	}
	return nil, fmt.Errorf("%s before the first point", l.word)
}

func (p *parser) table(l line) error {
	at, err := p.at(l)
	if err != nil {
		return err
	}
	if at.Scheme != "" || at.Phases != nil {
		return errors.New("a second table at one point")
	}
	if at.Scheme = l.get("scheme"); at.Scheme == "" {
		return errors.New("a table without a scheme")
	}
	if at.Shape, err = shapeOf(l); err != nil {
		return err
	}
	return p.only(l, "scheme", "pair", "host", "capacity", "n", "load", "bytes")
}

// also reads a scheme that ran beside the recorded one.
func (p *parser) also(l line) error {
	at, err := p.at(l)
	if err != nil {
		return err
	}
	scheme := l.get("scheme")
	if at.Scheme == "" || at.Phases != nil || scheme == "" {
		return errors.New("also is a scheme beside that of the table, before the first phase")
	}
	at.Also = append(at.Also, scheme)
	return p.only(l, "scheme")
}

// plugin reads the digest of the plugin that a scheme of the point is from.
func (p *parser) plugin(l line) error {
	at, err := p.at(l)
	if err != nil {
		return err
	}
	from := PluginOf{l.get("scheme"), l.get("hash")}
	if at.Scheme == "" || at.Phases != nil || from.Hash == "" || !at.ranOn(from.Name) {
		return errors.New("plugin is the digest of a scheme of the point, before the first phase")
	}
	at.Plugins = append(at.Plugins, from)
	return p.only(l, "scheme", "hash")
}

// stopped reads why the run ended before it was done.
func (p *parser) stopped(l line) error {
	if p.rec.Points == nil {
		return errors.New("stopped before the first point")
	}
	if p.rec.Stopped = l.get("why"); p.rec.Stopped == "" {
		return errors.New("stopped does not say why")
	}
	return p.only(l, "why")
}

func shapeOf(l line) (s schemes.Shape, err error) {
	if s.Pair, err = pairOf(l.get("pair")); err != nil {
		return s, err
	}
	if s.Host, err = l.is("host"); err != nil {
		return s, err
	}
	if s.Capacity, err = l.number("capacity", maxSlots); err != nil {
		return s, err
	}
	if s.N, err = l.number("n", maxSlots); err != nil {
		return s, err
	}
	if s.Bytes, err = l.number("bytes", maxSlots); err != nil {
		return s, err
	}
	if s.Load, err = l.real("load", 1); err == nil && l.has("load") && s.Load < leastLoad {
		err = fmt.Errorf("load is %s: it takes a number from %g to 1", shorten(l.get("load")), leastLoad)
	}
	return s, err
}

// maxSlots bounds what a table is asked to hold, so that its bytes can be counted.
const (
	maxSlots  = 1 << 48
	leastLoad = 1e-4
)

// pairOf reads a pair that some scheme has.
func pairOf(text string) (schemes.Pair, error) {
	known := map[string]schemes.Pair{}
	for _, scheme := range schemes.All() {
		for _, pair := range scheme.Caps.Pairs {
			known[pair.String()] = pair
		}
	}
	if pair, ok := known[text]; ok {
		return pair, nil
	}
	return schemes.Pair{}, fmt.Errorf("pair is %s, allowed are %s", shorten(text), strings.Join(slices.Sorted(keysOf(known)), ", "))
}

func (p *parser) phase(l line) error {
	at, err := p.at(l)
	if err != nil {
		return err
	}
	if at.Scheme == "" {
		return errors.New("a phase before the table")
	}
	phase := &Phase{Name: l.get("name")}
	if slices.ContainsFunc(at.Phases, func(other *Phase) bool { return other.Name == phase.Name }) || phase.Name == "" {
		return fmt.Errorf("a second phase named %s at one point, or none at all", shorten(phase.Name))
	}
	if phase.Warmup, err = l.number("warmup", 1<<62); err != nil {
		return err
	}
	if phase.Rate, err = l.real("rate", 1e15); err != nil {
		return err
	}
	at.Phases = append(at.Phases, phase)
	p.index = append(p.index, entry{len(p.rec.Points), phase.Name, p.rec.batches + 1, p.offset})
	return p.only(l, "name", "warmup", "rate")
}

// current is the phase that is not over, and the point that it belongs to.
func (p *parser) current(l line) (*Point, *Phase, error) {
	at, err := p.at(l)
	if err != nil {
		return nil, nil, err
	}
	if len(at.Phases) == 0 || at.Phases[len(at.Phases)-1].Ended != nil {
		return nil, nil, fmt.Errorf("%s outside of a phase", l.word)
	}
	return at, at.Phases[len(at.Phases)-1], nil
}

// add appends to the phase. Rounds never go back.
func (phase *Phase) add(item Item) error {
	if n := len(phase.Items); n > 0 && phase.Items[n-1].Round > item.Round {
		return fmt.Errorf("round %d after round %d", item.Round, phase.Items[n-1].Round)
	}
	phase.Items = append(phase.Items, item)
	return nil
}

func (p *parser) clear(l line) error {
	_, phase, err := p.current(l)
	if err != nil {
		return err
	}
	var item Item
	if item.Round, err = l.number("round", math.MaxUint64); err != nil {
		return err
	}
	if item.Reseed, err = l.is("reseed"); err != nil {
		return err
	}
	return errors.Join(phase.add(item), p.only(l, "round", "reseed"))
}

func (p *parser) contents(l line) error {
	_, phase, err := p.current(l)
	if err != nil {
		return err
	}
	c := &Contents{Digest: l.get("digest")}
	if c.Pairs, err = l.number("pairs", math.MaxUint64); err != nil {
		return err
	}
	if c.Check, err = checkOf(l); err != nil {
		return err
	}
	phase.Ended = c
	return p.only(l, "pairs", "digest", "check")
}

// entry holds a line of the index against what the file has.
func (p *parser) entry(l line) error {
	if p.listed < len(p.index) && l.String() == p.index[p.listed].line() || p.lenient {
		p.listed++
		return nil
	}
	return errors.New("the index does not fit the phases")
}

func (p *parser) end(l line) error {
	want := endLine(p.rec.batches, p.rec.operations, digestText(p.hash))
	switch {
	case p.rec.Points == nil:
		return errors.New("it has no points")
	case p.tabled() != nil:
		return p.tabled()
	case p.listed != len(p.index):
		return errors.New("the index does not have all phases")
	case l.get("digest") != digestText(p.hash):
		return fmt.Errorf("the digest of the file is %s, it says %s: it was damaged or changed", digestText(p.hash), shorten(l.get("digest")))
	case l.String() != want && !p.lenient:
		return errors.New("the numbers of batches and operations are not those of the file")
	}
	p.ended = true
	return nil
}

var errNoBatch = errors.New("it is cut off before the first batch")

// finish says what is missing at the end of the text. What is there of a recording that
// was cut off is whole.
func (p *parser) finish() error {
	switch {
	case p.ended:
		return nil
	case p.rec.batches == 0:
		return errNoBatch
	}
	if p.tabled() != nil {
		p.rec.Points = p.rec.Points[:len(p.rec.Points)-1]
	}
	p.rec.Cut = fmt.Sprintf("it is cut off after batch %d", p.rec.batches)
	return nil
}

func nanoseconds(l line, name string) (time.Duration, error) {
	n, err := l.number(name, math.MaxInt64)
	return time.Duration(n), err
}

// known are the operations that a batch can have.
var known = slices.Concat(engine.Keyed, []string{engine.Mix}, schemes.TableOps)
