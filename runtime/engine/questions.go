package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// question asks about a batch: the keys found, missed or added, or the values. Tables with equal contents give equal
// answers, in the order of the batch. Which of several operations on one key adds or erases it depends on timing, so the
// answer names the first ones.
type question struct {
	name string
	of   func(kernels.Operation) bool                  // operations that have an answer
	keys func(op kernels.Operation, outcome byte) bool // whether the answer has the key; nil: it has values
}

var isReplaced, isMissing = outcomeNumber("replaced"), outcomeNumber("missing")

var questions = []question{
	{"found", func(op kernels.Operation) bool { return op.May("missing") || op.May("replaced") },
		func(op kernels.Operation, outcome byte) bool {
			return outcome == isReplaced || outcome == isOK && !op.Adds
		}},
	{"missed", func(op kernels.Operation) bool { return op.May("missing") },
		func(_ kernels.Operation, outcome byte) bool { return outcome == isMissing }},
	{"added", func(op kernels.Operation) bool { return op.Adds },
		func(_ kernels.Operation, outcome byte) bool { return outcome == isOK || outcome == isEvicted }},
	{"values", func(op kernels.Operation) bool { return op.Answer == kernels.OneValue || op.Lists() }, nil},
}

// Questions lists the questions that Gave answers about a batch.
var Questions = lists.Map(questions, func(q question) string { return q.name })

// Gave answers one of Questions about a batch, of the last table with results that it ran on. Values found are ordered
// by their keys, and those of one key ascend.
func (in *Input) Gave(what string, listed Listed) ([]uint64, error) {
	a := questions[slices.Index(Questions, what)]
	onKeys := func(op kernels.Operation) bool { return op.Kind == kernels.OnKeys && a.of(op) }
	switch op := kernels.Op(in.Op); {
	case !onKeys(op):
		return nil, fmt.Errorf("it is for %s, and this was %s", strings.Join(kernels.OpsThat(onKeys), ", "), in.Op)
	case what == "values" && in.pair.Value == 0:
		return nil, fmt.Errorf("a table of %v has no values", in.pair)
	case what == "values":
		return in.valuesGiven(op, listed)
	}
	keys, err := in.keysThat(a.keys)
	if what == "added" {
		keys = eachOnce(keys)
	}
	return keys, err
}

// eachOnce removes all but the first of equal numbers.
func eachOnce(list []uint64) []uint64 {
	seen := make(map[uint64]bool, len(list))
	return slices.DeleteFunc(list, func(n uint64) bool {
		had := seen[n]
		seen[n] = true
		return had
	})
}

func (in *Input) valuesGiven(op kernels.Operation, listed Listed) (values []uint64, err error) {
	if op.Lists() {
		listed.Sort()
		return listed.Values, nil
	}
	outcomes, out, err := in.outcomes(true)
	for i, outcome := range outcomes {
		if outcome == isOK {
			values = append(values, out[i])
		}
	}
	return values, err
}

// outcomes reads the outcomes of the operations and, if requested, their answers.
func (in *Input) outcomes(answers bool) (outcomes []byte, out []uint64, err error) {
	if in.chunks != nil {
		return nil, nil, fmt.Errorf("the batch of %d %s was carried out in chunks, whose answers are not kept; hint: fewer keys in a batch", in.N, in.Op)
	}
	r := in.each(in.N, func(r *reader, s *share) {
		outcomes = joined(outcomes, r.bytes(s.status, s.n))
		if answers {
			out = joined(out, r.numbers(s.out, s.n, in.pair.AnswerBytes()))
		}
	})
	return outcomes, out, r.err
}

// keysThat returns the keys of the operations with some outcomes.
func (in *Input) keysThat(have func(op kernels.Operation, outcome byte) bool) ([]uint64, error) {
	outcomes, _, err := in.outcomes(false)
	if err != nil {
		return nil, err
	}
	columns, err := in.Columns()
	if err != nil {
		return nil, err
	}
	op, list := kernels.Op(in.Op), make([]uint64, 0, len(outcomes))
	key := func(i int) uint64 { return Number(columns.Keys, columns.KeyWidth, i) }
	if op.Adds || op.Removes != kernels.RemovesNone {
		firstOnes(outcomes, key)
	}
	for i, outcome := range outcomes {
		if have(op, outcome) {
			list = append(list, key(i))
		}
	}
	return list, nil
}

// firstOnes lets the first operations on each key be those that changed the table.
func firstOnes(outcomes []byte, key func(i int) uint64) {
	changed, others := map[uint64]int{}, map[uint64]byte{}
	for i, outcome := range outcomes {
		if outcome == isOK {
			changed[key(i)]++
		}
	}
	for i, outcome := range outcomes {
		if outcome != isOK && changed[key(i)] > 0 {
			others[key(i)] = outcome
		}
	}
	if len(others) == 0 {
		return
	}
	for i := range outcomes {
		switch k := key(i); {
		case changed[k] > 0:
			changed[k]--
			outcomes[i] = isOK
		case others[k] != 0 && outcomes[i] == isOK:
			outcomes[i] = others[k]
		}
	}
}
