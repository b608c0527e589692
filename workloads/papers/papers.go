// Package papers holds what the papers claim against what their scripts show here.
//
// Beside the scripts of scripts/paper is a file for each paper, NAME.claims.toml: its mechanisms, its figures and
// tables with the small runs that show them, and what it says of each as a claim: in words, in the paper's numbers, and
// as an expression over the results. The check, the page docs/papers.md and its test all read these files. A claim
// holds, or the file says why it does not; a claim that is said not to hold and does is an error, too.
package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/limits"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/check"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Paper is what is known of a paper.
type Paper struct {
	Name       string      `toml:"-"` // that its scripts begin with
	Title      string      `toml:"title"`
	By         string      `toml:"by"`
	Mechanisms []Mechanism `toml:"mechanism"`
	Figures    []Figure    `toml:"figure"`
}

// Mechanism is a part of a paper's scheme, and how it is here.
type Mechanism struct {
	What string `toml:"what"`
	Here string `toml:"here"`
}

// Figure is a figure or a table, or several that one run shows.
type Figure struct {
	What    string   `toml:"what"`
	Script  string   `toml:"script"`
	Measure string   `toml:"measure"`  // instead of a script: one of measures
	Not     string   `toml:"not_here"` // why there is neither
	Set     []string `toml:"set"`      // options of the small run
	GPU     []string `toml:"gpu"`      // options on a GPU, which override those of the small run
	Axis    []string `toml:"axis"`
	GPUAxis []string `toml:"gpu_axis"` // on a GPU, instead of axis
	Schemes []string `toml:"schemes"`
	Claims  []Claim  `toml:"claim"`
}

// Claim is what a paper says of a figure.
type Claim struct {
	Claim   string `toml:"claim"`
	Paper   string `toml:"paper"`   // its numbers, as text
	Ours    string `toml:"ours"`    // an expression: a number, or a list of numbers
	Holds   string `toml:"holds"`   // a condition on ours
	Differs string `toml:"differs"` // why the condition does not hold
	Rate    bool   `toml:"rate"`    // it is about times, so only a GPU shows it

	GPUDiffers string `toml:"gpu_differs"` // why it does not hold on a GPU, for sizes of the paper
}

// All reads the files of all papers that ship.
func All() ([]Paper, error) {
	claims := scripts.Claims()
	return lists.TryMap(slices.Sorted(maps.Keys(claims)), func(name string) (Paper, error) { return read(name, claims[name]) })
}

func read(name, text string) (p Paper, err error) {
	file := name + scripts.ClaimsExtension
	if err := tomlfile.Decode(file, text, &p); err != nil {
		return p, err
	}
	p.Name = strings.TrimPrefix(name, "paper/")
	for _, f := range p.Figures {
		if err := f.check(); err != nil {
			return p, fmt.Errorf("%s: %s: %w", file, f.What, err)
		}
	}
	return p, nil
}

func (f Figure) check() error {
	given := slices.DeleteFunc([]string{f.Script, f.Measure, f.Not}, func(s string) bool { return s == "" })
	if len(given) != 1 {
		return fmt.Errorf("it takes either script, measure or not_here")
	}
	switch {
	case f.Not != "":
		return nil
	case f.Measure != "" && measures[f.Measure] == nil:
		return fmt.Errorf("measure is %q: it takes %s", f.Measure, strings.Join(slices.Sorted(maps.Keys(measures)), " or "))
	case f.Measure != "":
		return f.checkClaims()
	}
	_, missing := scripts.Find(f.path())
	_, wrong := session.Schemes(f.Schemes)
	return cmp.Or(missing, wrong, f.checkClaims())
}

func (f Figure) checkClaims() error {
	for _, c := range f.Claims {
		if c.Claim == "" || c.Paper == "" || c.Ours == "" || c.Holds == "" {
			return fmt.Errorf("claim %q: it takes claim, paper, ours and holds", c.Claim)
		}
	}
	return nil
}

// path is that of the script, or of what is measured instead.
func (f Figure) path() string {
	return lists.Either(f.Measure != "", "hashzoo devices --"+f.Measure, "paper/"+f.Script)
}

// isOf reports whether one of the schemes is measured; of none, all are meant.
func (f Figure) isOf(names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(f.Schemes, func(text string) bool {
		name, _, _ := strings.Cut(text, ":")
		return slices.Contains(names, name)
	})
}

// Request says what to check.
type Request struct {
	Context context.Context
	Seed    uint64
	Limits  lua.Limits
	Schemes []string // only figures with one of these; empty: all
}

// Work is the part papers of a check: a step for each figure that has claims.
func Work(r Request) (list []check.Work, err error) {
	all, err := All()
	for _, p := range all {
		for _, f := range p.Figures {
			if len(f.Claims) > 0 && f.isOf(r.Schemes) {
				list = append(list, check.Work{What: p.Title + ", " + f.What, Do: func(dev device.Device) []check.Finding {
					return r.figure(dev, p, f)
				}})
			}
		}
	}
	return list, err
}

func isGPU(dev device.Device) bool { return dev.Info().Driver != "" }

// figure checks the claims of a figure. On a GPU, rates come from a run of their own, as kernels that count are slower.
func (r Request) figure(dev device.Device, p Paper, f Figure) (findings []check.Finding) {
	apart := func(c Claim) bool { return c.Rate && isGPU(dev) }
	for _, claims := range lists.Groups(f.Claims, apart) {
		findings = append(findings, r.judge(dev, p, f, claims, !apart(claims[0]))...)
	}
	return findings
}

// judge runs the script of a figure and compares some of its claims with the results.
func (r Request) judge(dev device.Device, p Paper, f Figure, claims []Claim, counted bool) []check.Finding {
	e, err := r.evidence(dev, f, counted)
	if r.Context.Err() != nil {
		return nil
	}
	return lists.Map(claims, func(c Claim) check.Finding { return judged(p, f, c, e, err, isGPU(dev)) })
}

// judged compares a claim with the results. A CPU calculates rates, so that mistakes in an expression show, but does
// not judge them.
func judged(p Paper, f Figure, c Claim, e *evidence, err error, gpu bool) check.Finding {
	claim := &check.Claim{Paper: p.Title, Figure: f.What, Script: f.path(), Published: c.Paper}
	if gpu {
		c.Differs = cmp.Or(c.Differs, c.GPUDiffers)
	}
	finding := check.Finding{Part: "papers", What: c.Claim, Claim: claim}
	var holds bool
	if err == nil {
		claim.Ours, holds, err = e.judge(c)
	}
	switch {
	case err != nil:
		finding.Status, finding.Why = check.Failed, err.Error()
	case c.Rate && !gpu:
		claim.Ours = ""
		finding.Status, finding.Why = check.Unavailable, "a rate: needs a GPU"
	case holds && c.Differs != "" && !gpu: // what differs on one GPU may hold on another one
		finding.Status, finding.Why = check.Failed, "it holds, but the claim says that it differs because "+c.Differs
	case holds:
		finding.Status = check.Passed
	case c.Differs != "":
		finding.Status, finding.Why = check.Differs, c.Differs
	default:
		finding.Status, finding.Why = check.Failed, "it is "+claim.Ours+", and "+c.Holds+" does not hold"
	}
	return finding
}

// evidence runs the script of a figure. Claims say what must hold, thresholds need not.
func (r Request) evidence(dev device.Device, f Figure, counted bool) (*evidence, error) {
	if measure, ok := measures[f.Measure]; ok {
		list, err := measure(dev, !isGPU(dev))
		return &evidence{results.Document{Run: results.Run{Script: &results.Script{Name: f.path()}}, Summaries: list}}, err
	}
	q := r.request(f, isGPU(dev))
	q.Opened, q.Count = dev, &counted
	d, err := q.Results(r.Context)
	if errors.Is(err, run.ErrThreshold) {
		err = nil
	}
	return &evidence{d}, err
}

func (r Request) request(f Figure, gpu bool) session.Request {
	const batchTimeout = 2 * time.Minute
	q := session.Request{Choice: session.Choice{Script: f.path(), Schemes: f.Schemes, Device: "cpu", Seed: r.Seed, Set: f.Set, Axis: f.Axis},
		Limits: r.Limits, Rules: run.Rules{Policy: engine.Policy{Least: 6, Noise: 0.02}, Timeout: batchTimeout}, Settings: map[string]string{}}
	if gpu {
		q.Set = slices.Concat(f.Set, f.GPU)
	}
	if gpu && len(f.GPUAxis) > 0 {
		q.Axis = f.GPUAxis
	}
	return q
}

// evidence is the results of a run, for expressions in Lua:
//
//	value(column, fields)      the number of the only result with these fields
//	values(column, fields)     those of all of them, in order
//	deviation(column, fields)  their largest distance from a published number of the script, in percent of it
//	least, most, mean, rises, falls   of a list; rises and falls allow equal neighbors
type evidence struct{ results.Document }

// box is a Lua state of its own for a claim, as it ends with the first error.
func (e *evidence) box() (*sandbox.Box, error) {
	bounds := sandbox.Limits{Steps: 1_000_000, Time: 10 * time.Second, Memory: 1 << 24}
	box, err := sandbox.New(sandbox.Options{Limits: bounds, File: "claim", Subject: "the expression"})
	if err != nil {
		return nil, err
	}
	box.SetFunctions("", map[string]sandbox.Function{
		"value": e.value, "values": e.values,
		"deviation": e.deviation,
	})
	return box, box.Do("lists", ofLists, 0)
}

// ofLists are the functions of a list.
const ofLists = `
function least(l) return math.min(unpack(l)) end
function most(l) return math.max(unpack(l)) end
function mean(l) local sum = 0; for _, x in ipairs(l) do sum = sum + x end; return sum / #l end
function rises(l) for i = 2, #l do if l[i] < l[i - 1] then return false end end; return true end
function falls(l) for i = 2, #l do if l[i] > l[i - 1] then return false end end; return true end
`

// judge returns what we have, as text, and whether the claim holds.
func (e *evidence) judge(c Claim) (ours string, holds bool, err error) {
	box, err := e.box()
	if err != nil {
		return "", false, err
	}
	defer box.Close()
	v, err := evaluate(box, c.Ours)
	if err != nil {
		return "", false, err
	}
	verdict, err := evaluate(box, c.Holds, v)
	if err != nil {
		return text(v), false, err
	}
	if _, ok := verdict.(glua.LBool); !ok {
		return text(v), false, fmt.Errorf("holds is %s: it takes a condition on ours", sandbox.Describe(verdict))
	}
	return text(v), glua.LVAsBool(verdict), nil
}

// evaluate calculates an expression, which may use what another gave as ours.
func evaluate(box *sandbox.Box, expression string, ours ...glua.LValue) (glua.LValue, error) {
	if err := box.Do("claim", "local ours = ...\nreturn (\n"+expression+"\n)", 1, ours...); err != nil {
		return nil, err
	}
	return box.L.Get(-1), nil
}

// text writes a number, or a list of them, with four digits.
func text(v glua.LValue) string {
	switch v := v.(type) {
	case glua.LNumber:
		short, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', 4, 64), 64)
		return strconv.FormatFloat(short, 'f', -1, 64)
	case *glua.LTable:
		var list []string
		v.ForEach(func(_, one glua.LValue) { list = append(list, text(one)) })
		return strings.Join(list, ", ")
	}
	return v.String()
}

// asked are the results that an expression names: a column, and fields.
func (e *evidence) asked(L *glua.LState) []analysis.Value {
	column, fields := L.CheckString(1), map[string]string{}
	if L.GetTop() > 1 {
		sandbox.Raise(sandbox.EachNamed("fields", L.Get(2), func(_, name string, v glua.LValue) error {
			fields[name] = v.String()
			return nil
		}))
	}
	all := sandbox.Check(analysis.Values(e.Document, column))
	list := lists.Filter(all, func(v analysis.Value) bool { return v.Is(fields) })
	if len(list) == 0 {
		sandbox.Raise(fmt.Errorf("no result has %s with %v", column, fields))
	}
	return list
}

func (e *evidence) value(L *glua.LState) (int, error) {
	list := e.asked(L)
	if len(list) > 1 {
		return 0, fmt.Errorf("%d results have these fields: name more of them", len(list))
	}
	return sandbox.Return(L, glua.LNumber(list[0].Number))
}

func (e *evidence) values(L *glua.LState) (int, error) {
	t := L.NewTable()
	for _, v := range e.asked(L) {
		t.Append(glua.LNumber(v.Number))
	}
	return sandbox.Return(L, t)
}

// deviation compares each published number of a column with the one here that belongs to it.
func (e *evidence) deviation(L *glua.LState) (int, error) {
	list, column, worst, found := e.asked(L), L.CheckString(1), 0.0, false
	for _, p := range e.Run.Script.Published {
		for _, v := range list {
			if p.Column == column && v.Is(p.Of) {
				found, worst = true, max(worst, 100*math.Abs(v.Number/p.Value-1))
			}
		}
	}
	if !found {
		return 0, errors.New("no published number belongs to these results")
	}
	return sandbox.Return(L, glua.LNumber(worst))
}

// measures are what figures without a table show: memory and allocators by themselves, as `hashzoo devices` measures
// them with a flag of that name. A small measurement is for a CPU, whose rates are not judged.
var measures = map[string]func(dev device.Device, small bool) ([]results.Summary, error){
	"contention": contention,
	"allocators": allocators,
}

// contention gives the column M/s, with the fields access and conflicts.
func contention(dev device.Device, small bool) ([]results.Summary, error) {
	bytes := lists.Either(small, 1<<20, int64(limits.Usual))
	list, err := limits.Contend(dev, bytes)
	return lists.Map(list, func(c limits.Contention) results.Summary {
		return results.Summary{
			Point:  results.Point{"access": c.Access, "conflicts": float64(c.Conflicts)},
			Values: map[string]any{"M/s": c.Rate() / 1e6},
		}
	}), err
}

// allocators gives the columns M/s and released M/s, with the field allocator.
func allocators(dev device.Device, small bool) ([]results.Summary, error) {
	units := lists.Either(small, 10_000, uint64(1_000_000))
	list, err := limits.Allocate(dev, units)
	return lists.Map(list, func(a limits.Allocator) results.Summary {
		values := map[string]any{"M/s": a.Allocated.Rate() / 1e6}
		if a.Released != nil {
			values["released M/s"] = a.Released.Rate() / 1e6
		}
		return results.Summary{Point: results.Point{"allocator": a.Allocator}, Values: values}
	}), err
}
