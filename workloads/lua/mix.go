package lua

import (
	"fmt"
	"math"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// mixture is a batch of operations that differ.
type mixture struct {
	ops     []string // in the order of kernels.Ops
	weights []float64
	keys    []stream.Stream
	values  []stream.Stream
}

// mix is t:mix{ find = 0.95, update = 0.05, keys = , values = , n = }: which operation
// is done at an index is drawn, with these probabilities. keys and values are one
// vector for all operations, or a table with one for each: { find = , update = }. With
// group = 32, nothing is drawn: operations take turns, 32 of each.
func (h *host) mix(L *glua.LState) (int, error) {
	f, err := named("t:mix", L.Get(2))
	if err != nil {
		return 0, err
	}
	if err := f.only(append(mixable(), "keys", "values", "n", "seed", "group")...); err != nil {
		return 0, err
	}
	m, err := h.fractions(f)
	if err != nil {
		return 0, err
	}
	if err := h.mixKeys(&m, f); err != nil {
		return 0, err
	}
	draw := m.batch
	if f.has("group") {
		group, err := f.whole("group", 1, false)
		if err != nil {
			return 0, err
		}
		draw = func(uint64) (engine.Batch, error) { return m.inTurn(group) }
	}
	seed, err := h.seedField(f)
	if err != nil {
		return 0, err
	}
	b, err := draw(seed)
	if err != nil {
		return 0, err
	}
	return h.do(L, b, run.Table.Do)
}

// mixable are the operations that a mixture may have, by name.
func mixable() []string { return slices.Sorted(slices.Values(engine.Keyed)) }

// fractions reads how often each operation is done.
func (h *host) fractions(f fields) (m mixture, err error) {
	if err := h.table.Supports(engine.Mix); err != nil {
		return m, err
	}
	sum := 0.0
	for _, op := range mixable() {
		if !f.has(op) {
			continue
		}
		x, err := f.number(op, 0, 1)
		if err != nil {
			return m, err
		}
		if x == 0 {
			continue
		}
		if err := h.table.Supports(op); err != nil {
			return m, err
		}
		sum += x
		m.ops, m.weights = append(m.ops, op), append(m.weights, x)
	}
	if math.Abs(sum-1) > 1e-6 {
		return m, fmt.Errorf("the fractions of operations add up to %v, they must add up to 1, as in { find = 0.95, update = 0.05 }", sum)
	}
	return m, nil
}

// mixKeys reads the keys and values of each operation, all as many.
func (h *host) mixKeys(m *mixture, f fields) error {
	n, err := f.whole("n", 0, false)
	if err != nil {
		return err
	}
	for _, op := range m.ops {
		name, v := perOp(f, "keys", op)
		keys, err := h.keys(name, taken(v, f.has("n"), n))
		if err != nil {
			return err
		}
		if len(m.keys) > 0 && keys.Len() != m.keys[0].Len() {
			return fmt.Errorf("%s has %d numbers, others have %d: they must be as many", name, keys.Len(), m.keys[0].Len())
		}
		m.keys = append(m.keys, keys)
		values := stream.Stream{}
		if kernels.Op(op).Value {
			name, v := perOp(f, "values", op)
			if values, err = valuesFor(name, taken(v, f.has("n"), n), keys.Len()); err != nil {
				return err
			}
		}
		m.values = append(m.values, values)
	}
	m.fillValues()
	return nil
}

// fillValues gives operations that take no values those of one that does, so that
// there is no choice to be made.
func (m *mixture) fillValues() {
	some := stream.Const(0)
	for _, s := range m.values {
		if s.Err() == nil {
			some = s
		}
	}
	for i, s := range m.values {
		if s.Err() != nil {
			m.values[i] = some
		}
	}
}

// perOp is the field's value for one operation, and its name in errors.
func perOp(f fields, field, op string) (string, glua.LValue) {
	v := f.get(field)
	if t, ok := v.(*glua.LTable); ok {
		return field + "." + op, t.RawGetString(op)
	}
	return field, v
}

// taken is the first n numbers of a vector that has more.
func taken(v glua.LValue, given bool, n uint64) glua.LValue {
	vec, ok := toVector(v)
	if !ok || !given || vec.Len() <= n {
		return v
	}
	return &glua.LUserData{Value: &vector{vec.Take(n)}}
}

func (h *host) seedField(f fields) (uint64, error) {
	if name, ok := f.get("seed").(glua.LString); ok {
		return h.namedSeed(name), nil
	}
	if f.has("seed") {
		return f.whole("seed", 0, false)
	}
	return h.nextSeed(), nil
}

// batch draws the operations, and with the same choices keys and values.
func (m mixture) batch(seed uint64) (engine.Batch, error) {
	codes, n := m.codes(), m.keys[0].Len()
	ops := stream.Mix(seed, m.weights, codes).Take(n)
	keys, values := chosen(seed, m.weights, m.keys).Take(n), chosen(seed, m.weights, m.values).Take(n)
	for _, s := range []stream.Stream{ops, keys, values} {
		if err := s.Check(); err != nil {
			return engine.Batch{}, fmt.Errorf("%s: %w", strings.Join(m.ops, ", "), err)
		}
	}
	return engine.Batch{Op: engine.Mix, Keys: keys, Values: values, Ops: ops, Mixed: m.ops}, nil
}

// codes are the numbers of the operations.
func (m mixture) codes() []stream.Stream {
	var codes []stream.Stream
	for _, op := range m.ops {
		codes = append(codes, stream.Const(uint64(kernels.OpNumber(op))))
	}
	return codes
}

// inTurn lets the operations take turns, each with so many of its keys, one after the
// other, until all have had theirs.
func (m mixture) inTurn(group uint64) (engine.Batch, error) {
	each, kinds := m.keys[0].Len(), uint64(len(m.ops))
	if slices.Min(m.weights) != slices.Max(m.weights) || each%group != 0 {
		return engine.Batch{}, fmt.Errorf("with group = %d operations take turns: their fractions must be equal, and the number of keys of each, %d, a multiple of the group", group, each)
	}
	at, size := stream.Sequential(), stream.Const(group)
	turn := at.Div(size).Mod(stream.Const(kinds))
	place := at.Div(stream.Const(group * kinds)).Mul(size).Add(at.Mod(size))
	all := stream.Const(each * kinds)
	index := turn.Mul(stream.Const(each)).Add(place).Mod(all).Take(each * kinds) // mod bounds it
	join := func(list []stream.Stream) stream.Stream {
		one := list[0].Take(each)
		for _, s := range list[1:] {
			one = one.Concat(s.Take(each))
		}
		return one.At(index)
	}
	codes := m.codes()
	b := engine.Batch{Op: engine.Mix, Keys: join(m.keys), Values: join(m.values), Ops: join(codes), Mixed: m.ops}
	for _, s := range []stream.Stream{join(m.keys), join(m.values), join(codes)} {
		if err := s.Check(); err != nil {
			return b, fmt.Errorf("%s: %w", strings.Join(m.ops, ", "), err)
		}
	}
	return b, nil
}

// chosen is one stream if all are the same.
func chosen(seed uint64, weights []float64, streams []stream.Stream) stream.Stream {
	for _, s := range streams[1:] {
		if s.String() != streams[0].String() {
			return stream.Mix(seed, weights, streams)
		}
	}
	return streams[0]
}
