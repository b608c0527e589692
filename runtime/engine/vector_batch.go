package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// operation carries out a batch: insert 1=10 2=20 -> ok failed left 2=20. Without an arrow,
// everything is ok. A mixed batch names the operation of each key: mix insert:1=10 find:2.
// An operation on the whole table has no keys: resize 24.
func (v *vector) operation(op string, words []string) error {
	asked, want := words, []string(nil)
	if arrow := slices.Index(words, "->"); arrow >= 0 {
		asked, want = words[:arrow], words[arrow+1:]
	}
	b, err := batchOf(op, asked)
	if err != nil {
		return err
	}
	in, err := Load(v.dev, v.table.Pair(), b)
	if err != nil {
		return err
	}
	defer in.Release()
	if v.sample, err = v.table.Run(in); err != nil {
		return err
	}
	if len(want) == 0 {
		want = slices.Repeat([]string{"ok"}, int(in.N))
	}
	have, err := v.outcomes(in, b)
	if err == nil && !slices.Equal(have, want) {
		err = fmt.Errorf("%s gave %s", op, strings.Join(have, " "))
	}
	return err
}

// batchOf reads the words of a batch.
func batchOf(op string, words []string) (b Batch, err error) {
	b.Op = op
	if kernels.Op(op).Kind == kernels.OnTable {
		if len(words) > 0 {
			b.Capacity, err = strconv.ParseUint(words[0], 0, 64)
		}
		return b, err
	}
	keys, values, ops := List{}, List{}, List{}
	for _, word := range words {
		if op == Mix {
			name, rest, _ := strings.Cut(word, ":")
			if !slices.Contains(Keyed, name) {
				return b, fmt.Errorf("mix: %s is no operation:key", word)
			}
			ops, word = append(ops, uint64(kernels.OpNumber(name))), rest
		}
		first, second, pair := strings.Cut(word, "=")
		key, err := strconv.ParseUint(first, 0, 64)
		value := uint64(0)
		if err == nil && pair {
			value, err = strconv.ParseUint(second, 0, 64)
		}
		if err != nil {
			return b, err
		}
		keys, values = append(keys, key), append(values, value)
	}
	b.Keys = keys
	if kernels.Op(op).Value {
		b.Values = values
	}
	if op == Mix {
		b.Ops = ops
	}
	return b, nil
}

// outcomes are what became of each key: its outcome or the answer, then the pairs left over.
func (v *vector) outcomes(in *Input, b Batch) ([]string, error) {
	pair := v.table.Pair()
	given, err := in.Given()
	var list []string
	for i, g := range given {
		op := kernels.Op(in.Op)
		if op.Kind == kernels.Mixed {
			op = kernels.Operations[b.Ops.(List)[i]]
		}
		if g.Outcome == "ok" && (op.Counts() || op.Answer == kernels.OneValue && pair.Value > 0) {
			g.Outcome = strconv.FormatUint(g.Value, 10)
		}
		list = append(list, g.Outcome)
	}
	left := v.sample.Counts.Get("pairs")
	if left == 0 || err != nil {
		return list, err
	}
	r := reader{dev: v.dev}
	keys, values := r.pairs(in.left, left, pair)
	list = append(list, "left")
	for i := range keys {
		list = append(list, pairText(pair, keys[i], values[i]))
	}
	return list, r.err
}

// pairText is a pair as vectors show it.
func pairText(pair schemes.Pair, key, value uint64) string {
	switch {
	case pair.Value == 0:
		return strconv.FormatUint(key, 10)
	case value == torn:
		return fmt.Sprintf("%d=torn", key)
	}
	return fmt.Sprintf("%d=%d", key, value)
}
