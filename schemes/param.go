package schemes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/number"
)

// Role says what a parameter's value is used for.
type Role int

const (
	// Variant parameters select compiled kernels and are part of their names.
	Variant Role = iota
	// Arg parameters are read by kernels from Table.Arg, in the order of declaration.
	Arg
	// HashCount is the number of hash functions, a separate field of the table block.
	HashCount
	// HashFamily is the family of hash functions, a separate field of the table block.
	HashFamily
	// HostOnly parameters are read only by the host side.
	HostOnly
)

// Param is a parameter of a scheme: an integer, or a choice among words whose value is the index of the word.
type Param struct {
	Name     string
	Help     string
	Role     Role
	Letter   string  // for Variant: the letters before its value in kernel names
	Values   []int64 // the allowed values; empty: all from Min to Max
	Min, Max int64
	Words    []string // for a choice: the allowed words
	Default  int64
	Auto     bool   // 0 stands for a value that depends on the table (Scheme.Arguments)
	Only     []Pair // for Variant: pairs that have all its values; others have the last one alone; empty: all pairs
}

// All lists the values of a parameter.
func (p Param) All() (values []int64) {
	if p.Values != nil {
		return p.Values
	}
	first, last := p.Min, p.Max
	if p.Words != nil {
		first, last = 0, int64(len(p.Words))-1
	}
	for v := first; v <= last; v++ {
		values = append(values, v)
	}
	return values
}

// has reports whether kernels for a pair are compiled with a value.
func (p Param) has(value int64, pair Pair) bool {
	return len(p.Only) == 0 || slices.Contains(p.Only, pair) || value == p.last()
}

func (p Param) last() int64 { return p.All()[len(p.All())-1] }

// Allowed describes the allowed values, for help and errors.
func (p Param) Allowed() string {
	if p.Words == nil && p.Values == nil {
		return fmt.Sprintf("%d to %d", p.Min, p.Max)
	}
	return strings.Join(lists.Map(p.All(), p.Text), ", ")
}

// Text returns a value as a user writes it.
func (p Param) Text(value int64) string {
	if p.Words != nil {
		return p.Words[value]
	}
	return strconv.FormatInt(value, 10)
}

// Parse reads a value as a user writes it.
func (p Param) Parse(text string) (int64, error) {
	v, number := number.Integer(text)
	ok := number && v >= p.Min && v <= p.Max
	switch {
	case p.Words != nil:
		v = int64(slices.Index(p.Words, text))
		ok = v >= 0
	case p.Values != nil:
		ok = number && slices.Contains(p.Values, v)
	}
	if !ok {
		return 0, fmt.Errorf("parameter %s is %q: it takes %s", p.Name, text, p.Allowed())
	}
	return v, nil
}
