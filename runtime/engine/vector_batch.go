package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// operation carries out a batch: insert 1=10 2=20 -> ok failed left 2=20. What is
// behind the arrow may be left out if everything is ok. A mixed one has the operation
// of each: mix insert:1=10 find:2. One on the whole table has no keys: resize 24.
func (v *vector) operation(op string, words []string) error {
	arrow := slices.Index(words, "->")
	if arrow < 0 {
		words, arrow = append(words, "->"), len(words)
	}
	b, err := batchOf(op, words[:arrow])
	if err != nil {
		return err
	}
	in, err := Load(v.dev, v.table.spec.Shape.Pair, b)
	if err != nil {
		return err
	}
	defer in.Release()
	if v.sample, err = v.table.Run(in); err != nil {
		return err
	}
	want := words[arrow+1:]
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
func batchOf(op string, words []string) (Batch, error) {
	b := Batch{Op: op}
	if b.wholeTable() {
		var err error
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
			ops, word = append(ops, opCode(name)), rest
		}
		key, value, err := pairOf(word)
		if err != nil {
			return b, err
		}
		keys, values = append(keys, key), append(values, value)
	}
	b.Keys = keys
	if takesValues[op] {
		b.Values = values
	}
	if op == Mix {
		b.Ops = ops
	}
	return b, nil
}

// outcomes are what became of each key: a found one's value, of find_all and erase_all
// how many; then the pairs left over.
func (v *vector) outcomes(in *Input, b Batch) ([]string, error) {
	pair := v.table.spec.Shape.Pair
	r := reader{dev: v.dev}
	var list []string
	out := r.numbers(in.out, in.N, pair.AnswerBytes())
	for i, status := range r.numbers(in.status, in.N, 1) {
		op, outcome := in.Op, kernels.Outcomes[status]
		if op == Mix {
			op = kernels.Ops[b.Ops.(List)[i]]
		}
		counts := op == "find_all" || op == "erase_all"
		if outcome == "ok" && (counts || op == "find" && pair.Value > 0) {
			outcome = strconv.FormatUint(out[i], 10)
		}
		list = append(list, outcome)
	}
	if left := v.sample.Counts.Get("pairs"); left > 0 {
		keys, values := r.numbers(in.left[0], left, pair.Key), r.values(in.left[1], left, pair)
		list = append(list, "left")
		for i := range keys {
			list = append(list, pairText(pair, keys[i], values[i]))
		}
	}
	return list, r.err
}

// pairText is a pair as vectors have it.
func pairText(pair schemes.Pair, key, value uint64) string {
	switch {
	case pair.Value == 0:
		return strconv.FormatUint(key, 10)
	case value == torn:
		return fmt.Sprintf("%d=torn", key)
	}
	return fmt.Sprintf("%d=%d", key, value)
}

// pairOf reads 7=70, or 7 alone.
func pairOf(word string) (key, value uint64, err error) {
	first, second, has := strings.Cut(word, "=")
	if key, err = strconv.ParseUint(first, 0, 64); err != nil || !has {
		return key, 0, err
	}
	value, err = strconv.ParseUint(second, 0, 64)
	return key, value, err
}

// opCode is an operation as kernels know it.
func opCode(op string) uint64 { return uint64(slices.Index(kernels.Ops, op)) }
