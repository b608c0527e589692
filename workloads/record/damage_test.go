package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
)

var kinds = []Kind{Recipe, Materialised}

// A recording cut anywhere is never taken for a whole one, and what is there of it is whole batches that replay.
func TestCutAnywhere(t *testing.T) {
	all := contents(t, recorded(t, little, Recipe, "bcht"))
	batches, seen := uint64(0), map[uint64]bool{}
	for end := range len(all) {
		r, err := readBytes(all[:end])
		if err != nil {
			must.Need(t, batches == 0, "cut at byte %d of %d: %v, and a shorter one was read", end, len(all), err)
			continue
		}
		must.Need(t, r.Cut != "" && r.Batches >= batches, "cut at byte %d of %d: %q, %d batches after %d", end, len(all), r.Cut, r.Batches, batches)
		if batches = r.Batches; seen[batches] {
			continue
		}
		seen[batches] = true
		c := must.Get(replayed(t, r, Pace{}, false, "bcht"))(t)
		must.OK(t, c.Err())
	}
	must.Match(t, len(seen), 3, "numbers of batches")
	all = contents(t, recorded(t, little, Materialised, "bcht"))
	for end := range len(all) { // what it has is in its end
		must.Need(t, must.Err(readBytes(all[:end])) != nil, "a materialized one that was cut at byte %d of %d was read", end, len(all))
	}
}

func TestCutOffNeedsPartial(t *testing.T) {
	all := contents(t, recorded(t, everything, Recipe, "bcht"))
	path := filepath.Join(t.TempDir(), "cut")
	must.OK(t, os.WriteFile(path, all[:len(all)-1], 0o644))
	_, err := Open(path, false)
	must.Hold(t, err != nil && strings.HasSuffix(err.Error(), "cut: it is cut off after batch 26; hint: --partial takes what is there"), "%v", err)
	r := must.Get(Open(path, true))(t)
	must.Hold(t, strings.Contains(r.Title(), "cut off"), "%v", r.Title())
}

func TestWrongRecordings(t *testing.T) {
	text := string(contents(t, recorded(t, everything, Recipe, "bcht")))
	for _, c := range []struct{ old, new, want string }{
		{`"format":"2.1"`, `"format":"3.1"`, "line 1: it has format 3.1, this program reads 2.0 to 2.1 and later ones of 2"},
		{`"format":"2.1"`, `"format":"two"`, `line 1: format is "two": it takes a version such as 2.1`},
		{`"kind":"recipe"`, `"kind":"cake"`, `line 1: kind is "cake", allowed are recipe and materialised`},
		{`"kind":"recipe"`, `"kind":"materialised"`, `it says that it is materialised, but is a text`},
		{`{"recording"`, `{"hello"`, "line 1: not a recording"},
		{`"generators":1`, `"generators":2`, "its batches are made by generators of version 2, this program has 1"},
		{`"options"`, `"opinions"`, `unknown field "opinions"`},
		{"-- All", "-- all", "the script is not the one that was recorded"},
		{`"pair":"k4v4"`, `"pair":"k5v4"`, `unknown pair "k5v4": `},
		{`"pair":"k4v4",`, ``, "a table without a pair"},
		{`"load":0.5`, `"load":1.5`, "load is 1.5: it takes a number from 0.0001 to 1"},
		{`"n":1000`, `"n":281474976710657`, "n is 281474976710657: it takes a number from 0 to 281474976710656"},
		{`"value":"small"`, `"value":[]`, "size is []: it takes a number, true, false, or a text"},
		{`"scheme":"bcht"`, `"scheme":""`, "a scheme without a name"},
		{`"rate":1000000000`, `"rate":1e16`, "rate is 1e+16: it takes a number from 0 to 1e+15"},
		{`"number":1,"op":"insert"`, `"number":2,"op":"insert"`, "batch 2 after batch 0"},
		{`"op":"insert","n":200`, `"op":"insert","n":201`, "keys: n is 201, and it has 200 numbers"},
		{`"op":"insert","n":200`, `"op":"insert","n":99999999999999999999`, "n is a number 99999999999999999999: it takes a whole number from 0 to 18446744073709551615"},
		{`"op":"insert","n":200`, `"op":"insert","n":"200"`, "line 4: batch.n is a string: it takes a whole number"},
		{`"op":"insert","n":200`, `"op":"inset","n":200`, `unknown operation "inset": did you mean insert?`},
		{`"op":"insert","n":200`, `"op":"insert","colour":"red","n":200`, `unknown field "colour"`},
		{`"op":"insert"`, `"op":"flush"`, "flush is of the whole table, but has keys"},
		{`"keys":{"kind":"take"`, `"keys":{"kind":"tke"`, `keys: unknown stream "tke"`},
		{`"keys":{"kind":"take"`, `"keys":{"colour":"red","kind":"take"`, `unknown field "colour"`},
		{`"seed":5`, `"seed":9223372036854775808`, "line 1: seed is 9223372036854775808: it takes a whole number, 0 to 2^63-1"},
		{`"keys":{"kind":"take"`, `"keys":{"kind":7`, "batch.keys.kind is a number: it takes a text"},
		{`"counts":{"ok":`, `"counts":{"okay":`, `unknown outcome "okay"`},
		{`"took":`, `"took":-`, "they take nanoseconds from 0 on"},
		{`{"phase":{"name":"first"`, `{"phase":{"name":"prepare"`, `a second phase named "prepare"`},
		{`"round":3`, `"round":1`, "round 1 after round 2"},
		{`"check":"counts"`, `"check":"cunts"`, `check is "cunts", allowed are counts and legal`},
		{`{"batch":{"number":2`, "{\"stopped\":{\"why\":\"it\"}}\n{\"batch\":{\"number\":2", "something follows after the run was stopped"},
		{`{"batch":{"number":2`, "{\"stopped\":{}}\n{\"batch\":{\"number\":2", "stopped does not say why"},
		{`{"point":`, "{\"stopped\":{\"why\":\"it\"}}\n{\"point\":", "it must follow a point"},
		{`{"point":`, "{\"phase\":{\"name\":\"first\"}}\n{\"point\":", "it must follow a point"},
		{`{"phase":{"name":"prepare"}}`, `{"clear":{}}`, "it must be in a phase"},
		{`{"phase":{"name":"prepare"}}`, `{}`, "a line of nothing that is known"},
		{`{"phase":{"name":"prepare"}}`, `{"phase":{"name":"prepare"}} {}`, `" {}\n" follows the object`},
		{`{"phase":{"name":"prepare"}}`, `{"phase":{"name":"prepare"}`, "unexpected EOF"},
		{`{"phase":{"name":"prepare"}}`, `{"phase";{"name":"prepare"}}`, "character 9: invalid character ';'"},
		{`"batches":26`, `"batches":27`, "the numbers of batches and operations are not those of the file"},
	} {
		changed := []byte(strings.Replace(text, c.old, c.new, 1))
		must.Hold(t, string(changed) != text, "%s is not in the recording", c.old)
		if !strings.HasPrefix(c.old, `"batches"`) { // which is in the end
			changed = sealed(string(changed))
		}
		must.Say(t, must.Err(readBytes(changed)), c.want, c.new, c.old)
	}
	must.Say(t, must.Err(readBytes([]byte(text+"more\n"))), "something follows the end")
	for _, text := range []string{"", "\n", "hashzoo recording 1.1 recipe\n", text[:strings.Index(text, "\n")+1], strings.Repeat("x", 1<<21)} {
		r, err := readBytes([]byte(text))
		must.Hold(t, err != nil, "%q is read as %+v", nearest.Quoted(text), r)
	}
}

// Additions of a newer minor version are ignored.
func TestNewerMinorVersion(t *testing.T) {
	text := string(contents(t, recorded(t, everything, Recipe, "bcht")))
	for old, other := range map[string]string{
		`"format":"2.1"`: `"format":"2.7"`, `"op":"insert"`: `"shape":"round","op":"insert"`, `{"point":`: "{\"season\":{\"name\":\"spring\"}}\n{\"point\":",
	} {
		text = strings.Replace(text, old, other, 1)
	}
	r := must.Get(readBytes(sealed(text)))(t)
	must.Hold(t, r.Format == "2.7" && r.Batches == 26, "%+v", r.Header)
	c := must.Get(replayed(t, r, Pace{}, false, "1cht"))(t)
	must.OK(t, c.Err())
}

// full is a disk with room for left bytes.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

// A full disk ends the run that is recorded, with an error that says so.
func TestFullDisk(t *testing.T) {
	first := must.Get(Open(recorded(t, little, Recipe, "bcht"), false))(t)
	for _, kind := range kinds {
		disk := &full{left: 1000}
		header := Header{Kind: kind}
		header.build()
		out, err := newWriter(regular.Through(disk), header)
		must.OK(t, err)
		to := &Recorder{path: "here", header: header, dev: open(t, 1), out: out}
		err = runOn(t, first, to, "bcht")
		must.Hold(t, err != nil && strings.Contains(err.Error(), "recording here: ") && strings.Contains(err.Error(), "no space left"), "%s: %v", kind, err)
	}
}

// outputs are what the commands recording export, show and diff say, by their names. A command
// that refuses the recording says nothing.
func outputs(dev device.Device, first, r *Recording) map[string]string {
	said := map[string]string{}
	say := func(name string, command func(out io.Writer) error) {
		var out strings.Builder
		if command(&out) == nil {
			said[name] = out.String()
		}
	}
	say("export", func(out io.Writer) error { return r.exportCSV(dev, out) })
	say("show", func(out io.Writer) error {
		table, err := r.Table(1, 100)
		return errors.Join(err, table.Print(out))
	})
	say("diff", func(out io.Writer) error {
		list, err := Diff(first, r)
		return errors.Join(err, results.Table{}.Print(out, list...))
	})
	return said
}

// A recipe in which a bit was changed is refused, unless that is the case of a name. Of a materialized recording, every command says what it said before, or
// it is refused.
func TestFlippedAnywhere(t *testing.T) {
	const eachLine = `axes = { a = { 1 } }
shape = { n = 100, load = 0.5 }
function prepare(t)
  t:insert(gen.keys{}:take(20), 1)
  t:clear()
  t:mix{ find = 0.5, insert = 0.5, keys = gen.keys{}:take(9), values = 2 }
end`
	stride := lists.Either(testing.Short(), 61, 7) // bits: 7 visits every byte, and all bits of 8 bytes in a row
	dev := open(t, 1)
	for _, kind := range kinds {
		all := contents(t, stoppedFor(t, "it was interrupted", eachLine, kind, "linear", "1cht"))
		first := must.Get(readBytes(bytes.Clone(all)))(t)
		want := outputs(dev, first, first)
		must.Need(t, len(want) == 3, "%s: %q", kind, want)
		first.columns = nil // diff reads those of the other one
		for bit := 0; bit < 8*len(all); bit += stride {
			all[bit/8] ^= 1 << (bit % 8)
			if r, err := readBytes(all); err == nil && r.Cut == "" {
				must.Need(t, kind == Materialised || bit%8 == 5, "bit %d of %d was changed, and nobody noticed", bit, 8*len(all))
				for name, text := range outputs(dev, first, r) {
					must.Match(t, text, want[name], kind, bit%8, bit/8, len(all), name)
				}
			}
			all[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// Every command notices a changed key or operation.
func TestChangedColumns(t *testing.T) {
	all := contents(t, recorded(t, little, Materialised, "bcht"))
	dev := open(t, 1)
	first := must.Get(readBytes(bytes.Clone(all)))(t)
	keys := must.Get(first.columns.table.Cells(0, keyColumn).Numbers(20))(t)
	for _, at := range []int{bytes.Index(all, []byte("insert")), bytes.Index(all, keys)} {
		all[at] ^= 1
		r := must.Get(readBytes(all))(t)
		said := outputs(dev, r, first)
		must.Hold(t, len(said) == 2, "byte %d: %q", at, said) // diff reads both
		said = outputs(dev, first, r)
		must.Hold(t, len(said) == 0 && r.Verify(dev) != nil, "byte %d: %q", at, said)
		all[at] ^= 1
	}
}

// seeds are the recordings that fuzzing starts from: those in testdata, and a part of one.
func seeds(f *testing.F, name string) {
	all := must.Get(os.ReadFile("testdata/" + name))(f)
	f.Add(all)
	f.Add(all[:len(all)/2])
	f.Add(contents(f, recorded(f, little, Recipe, "bcht")))
}

// Any text is an error, or a recording that can be written again with the same batches.
func FuzzRecipe(f *testing.F) {
	seeds(f, "2.0-recipe.rec")
	f.Fuzz(func(t *testing.T, all []byte) {
		r, err := readBytes(all)
		if err != nil || r.Kind != Recipe || r.Format != format {
			return
		}
		again, err := readBytes([]byte(written(r)))
		if err != nil {
			t.Fatalf("written again it does not read: %v\n%s", err, written(r))
		}
		must.Hold(t, again.Batches == r.Batches && again.Operations == r.Operations,
			"%d batches of %d operations, then %d of %d", r.Batches, r.Operations, again.Batches, again.Operations)
	})
}

// Any Parquet file is an error, or every batch has as many numbers as its metadata says.
func FuzzMaterialised(f *testing.F) {
	seeds(f, "2.1-materialised.rec")
	f.Fuzz(func(t *testing.T, all []byte) {
		r, err := readBytes(all)
		if err != nil || r.Kind != Materialised {
			return
		}
		for p, l := range r.lines {
			b := l.Batch
			if b == nil || b.wholeTable() {
				continue
			}
			batch := engine.Batch{Op: b.Op}
			must.Hold(t, r.columns.fill(b, &batch, p.Shape.Pair) != nil || batch.Len() == b.N, "%v: %d numbers", b, batch.Len())
		}
	})
}
