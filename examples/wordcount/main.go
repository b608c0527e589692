// Command wordcount counts the words of files by a table that hashzoo exported:
//
//	cd examples/wordcount
//	hashzoo export linear:resize=auto table --lang go
//	go run . -top 5 ../../README.md
//
// A word's key is a 64-bit hash of it, and its value is how often the word was there: the table
// tallies a batch of keys at once, and grows by itself. The words themselves are not kept: at the
// end, those with the greatest counts are looked for in the files again.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"hash/maphash"
	"iter"
	"os"
	"slices"
	"strings"
	"unicode"

	zoo "wordcount/table"
)

var (
	top = flag.Int("top", 10, "print `N` words")
	gpu = flag.Int("gpu", -1, "count on this `GPU`, of sm_90 or later, instead of the CPU")
)

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "wordcount:", err)
		os.Exit(1)
	}
}

func run(files []string) error {
	device := zoo.CPU
	if *gpu >= 0 {
		var err error
		if device, err = zoo.GPU(*gpu); err != nil {
			return err
		}
		defer device.Close()
	}
	table, err := zoo.New[uint64, uint64](device, 1000, zoo.MaxLoad, 1)
	if err != nil {
		return err
	}
	defer table.Close()
	if err := count(table, files); err != nil {
		return err
	}
	most, err := greatest(table)
	if err != nil {
		return err
	}
	return name(most, files)
}

// count tallies the words of files, a batch at a time.
func count(table *zoo.Table[uint64, uint64], files []string) error {
	var batch []uint64
	tally := func() error {
		counts, err := table.Tally(batch, nil)
		if err == nil && counts.Failed > 0 {
			err = fmt.Errorf("no memory for more words")
		}
		batch = batch[:0]
		return err
	}
	for word, err := range words(files) {
		if err != nil {
			return err
		}
		if batch = append(batch, key(word)); len(batch) == 1<<20 {
			if err := tally(); err != nil {
				return err
			}
		}
	}
	return tally()
}

// counted is a word's key and how often it was there.
type counted struct {
	key, count uint64
	word       string
}

// greatest returns the pairs with the greatest counts.
func greatest(table *zoo.Table[uint64, uint64]) ([]counted, error) {
	n, err := table.Count()
	if err != nil {
		return nil, err
	}
	keys, counts := make([]uint64, n), make([]uint64, n)
	if _, err := table.Pairs(keys, counts); err != nil {
		return nil, err
	}
	list := make([]counted, n)
	for i := range list {
		list[i] = counted{key: keys[i], count: counts[i]}
	}
	slices.SortFunc(list, func(a, b counted) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.key, b.key)) })
	return list[:min(len(list), max(0, *top))], nil
}

// name finds the words of keys, and prints them.
func name(list []counted, files []string) error {
	found := map[uint64]string{}
	for _, c := range list {
		found[c.key] = ""
	}
	for word, err := range words(files) {
		if err != nil {
			return err
		}
		if known, wanted := found[key(word)]; wanted && known == "" {
			found[key(word)] = word
		}
	}
	for _, c := range list {
		fmt.Printf("%8d %s\n", c.count, found[c.key])
	}
	return nil
}

// words are the words of files, in lower case.
func words(files []string) iter.Seq2[string, error] {
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	return func(yield func(string, error) bool) {
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				yield("", err)
				return
			}
			for word := range strings.FieldsFuncSeq(string(text), notLetter) {
				if !yield(strings.ToLower(word), nil) {
					return
				}
			}
		}
	}
}

var seed = maphash.MakeSeed()

// key is a hash of a word. The two largest numbers are reserved, so it has 63 bits.
func key(word string) uint64 { return maphash.String(seed, word) >> 1 }
