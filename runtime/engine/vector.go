package engine

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// PlayVectors carries out a file of operations on tiny tables that says what is in every
// slot after each; docs/checking.md describes such files. The device is a CPU with one
// thread, for order matters. An error starts with the number of the line that is not true.
func PlayVectors(dev device.Device, text string) error {
	v := &vector{dev: dev}
	if err := v.play(text); err != nil {
		return err
	}
	if v.looked == 0 {
		return fmt.Errorf("1: no line looks at slots")
	}
	return nil
}

// vector is a file that is being played, with instrumented kernels and the oracle.
type vector struct {
	dev    device.Device
	table  *Table
	sample Sample
	looked int // slots were looked at so often
}

// play carries out a file line by line. Errors start with the line's number.
func (v *vector) play(text string) error {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line, _, _ := strings.Cut(lines[i], "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		number := i + 1
		var err error
		if words[0] == "slots" {
			var rows []string
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], " ") {
				i++
				row, _, _ := strings.Cut(lines[i], "#")
				rows = append(rows, strings.TrimSpace(row))
			}
			err = v.slots(rows)
		} else {
			err = v.line(words)
		}
		if err != nil {
			return fmt.Errorf("%d: %w", number, err)
		}
	}
	return v.end()
}

func (v *vector) line(words []string) error {
	if words[0] == "table" {
		return v.make(words[1:])
	}
	if v.table == nil {
		return fmt.Errorf("%s before there is a table", words[0])
	}
	switch words[0] {
	case "places":
		return v.places(words[1:])
	case "counts":
		return v.counts(words[1:])
	case "words":
		if len(words) < 2 {
			return fmt.Errorf("words takes a region and numbers")
		}
		return v.words(words[1], words[2:])
	case "clear":
		return v.table.Clear()
	default:
		return v.operation(words[0], words[1:])
	}
}

// make starts a table: table CONFIG pair=k4v4 capacity=8 seed=1.
func (v *vector) make(words []string) error {
	if err := v.end(); err != nil {
		return err
	}
	if len(words) == 0 {
		return fmt.Errorf("table takes a scheme")
	}
	config, err := schemes.Parse(words[0])
	if err != nil {
		return err
	}
	spec := Spec{Config: config, Counted: true, Verify: true}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		number, err := strconv.ParseUint(value, 0, 64)
		switch {
		case name == "pair":
			i := slices.IndexFunc(config.Caps.Pairs, func(p schemes.Pair) bool { return p.String() == value })
			if i < 0 {
				return fmt.Errorf("pair %s is none of %v", value, config.Caps.Pairs)
			}
			spec.Shape.Pair = config.Caps.Pairs[i]
		case err != nil:
			return fmt.Errorf("%s: %w", word, err)
		case name == "capacity":
			spec.Shape.Capacity = number
		case name == "seed":
			spec.Seed = number
		default:
			return fmt.Errorf("table: unknown setting %s", name)
		}
	}
	v.table, err = New(v.dev, spec)
	return err
}

// end looks at the contents of the last table a last time.
func (v *vector) end() error {
	if v.table == nil {
		return nil
	}
	if _, err := v.table.Contents(); err != nil {
		return err
	}
	return v.table.Close()
}

// places states where the hash functions send a key: places 7 2 0 1. It is for the
// reader, but must be true.
func (v *vector) places(words []string) error {
	var want []uint64
	for _, word := range words {
		number, err := strconv.ParseUint(word, 0, 64)
		if err != nil {
			return err
		}
		want = append(want, number)
	}
	var have []uint64
	if b := v.table.block; b.Family != kernels.Universal || v.table.spec.Shape.Pair.Key != 4 || len(want) == 0 {
		return fmt.Errorf("places are of a key of 4 bytes, with hash=universal, so that a reader can compute them")
	}
	for f := range v.table.block.Hashes {
		have = append(have, v.hash(int(f), want[0]))
	}
	if !slices.Equal(have, want[1:]) {
		return fmt.Errorf("key %d goes to %v", want[0], have)
	}
	return nil
}

// hash is the universal family as the papers write it, for keys of 4 bytes.
func (v *vector) hash(function int, key uint64) uint64 {
	b := v.table.block
	sum := new(big.Int).Mul(new(big.Int).SetUint64(b.Hash[function].A), new(big.Int).SetUint64(key))
	sum.Add(sum, new(big.Int).SetUint64(b.Hash[function].B))
	return sum.Mod(sum, big.NewInt(4294967291)).Uint64() % b.Buckets
}
