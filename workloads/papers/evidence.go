package papers

import (
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
	"github.com/hashzoo/hashzoo/runtime/limits"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// evidence is the results of a run, for expressions in Lua:
//
//	value(column, fields)      the number of the only result with these fields
//	values(column, fields)     those of all of them, in order
//	deviation(column, fields)  their largest distance from a published number of the script, in percent of it
//	least, most, mean, rises, falls   of a list; rises and falls allow equal neighbors
type evidence struct{ results.Document }

var expressionLimits = sandbox.Limits{Steps: 1_000_000, Time: 10 * time.Second, Memory: 1 << 24}

// box is a Lua state of its own for a claim, as it ends with the first error.
func (e *evidence) box() (*sandbox.Box, error) {
	box, err := sandbox.New(sandbox.Options{Limits: expressionLimits, File: "claim", Subject: "the expression"})
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
		return strconv.FormatFloat(round(float64(v)), 'f', -1, 64)
	case *glua.LTable:
		var list []string
		v.ForEach(func(_, one glua.LValue) { list = append(list, text(one)) })
		return strings.Join(list, ", ")
	}
	return v.String()
}

func round(x float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return short
}

// asked are the results that an expression names: a column, and fields.
func (e *evidence) asked(L *glua.LState) (list []analysis.Value, err error) {
	column, fields := L.CheckString(1), map[string]string{}
	if L.GetTop() > 1 {
		err = sandbox.EachNamed("fields", L.Get(2), func(_, name string, v glua.LValue) error {
			fields[name] = v.String()
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	all, err := analysis.Values(e.Document, column)
	for _, v := range all {
		if v.Is(fields) {
			list = append(list, v)
		}
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no result has %s with %v", column, fields)
	}
	return list, err
}

func (e *evidence) value(L *glua.LState) (int, error) {
	list, err := e.asked(L)
	if err == nil && len(list) > 1 {
		err = fmt.Errorf("%d results have these fields: name more of them", len(list))
	}
	if err != nil {
		return 0, err
	}
	return sandbox.Return(L, glua.LNumber(list[0].Number))
}

func (e *evidence) values(L *glua.LState) (int, error) {
	list, err := e.asked(L)
	if err != nil {
		return 0, err
	}
	t := L.NewTable()
	for _, v := range list {
		t.Append(glua.LNumber(v.Number))
	}
	return sandbox.Return(L, t)
}

// deviation compares each published number of a column with the one here that belongs to it.
func (e *evidence) deviation(L *glua.LState) (int, error) {
	list, err := e.asked(L)
	if err != nil {
		return 0, err
	}
	column, worst, found := L.CheckString(1), 0.0, false
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

func checkMeasure(name string) error {
	if _, ok := measures[name]; !ok {
		return fmt.Errorf("measure is %q: it takes %s", name, strings.Join(slices.Sorted(maps.Keys(measures)), " or "))
	}
	return nil
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
