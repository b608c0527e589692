package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var kinds = []Kind{Recipe, Materialised}

// A recording cut anywhere is never taken for a whole one, and what is there of it is
// whole batches that replay.
func TestCutAnywhere(t *testing.T) {
	for _, kind := range kinds {
		all := contents(t, recorded(t, little, kind, "bcht"))
		batches, seen := uint64(0), map[uint64]bool{}
		for end := range len(all) {
			r, err := readBytes(all[:end])
			if err != nil {
				if batches > 0 {
					t.Fatalf("%s cut at byte %d of %d: %v, and a shorter one was read", kind, end, len(all), err)
				}
				continue
			}
			if r.Cut == "" || r.Batches() < batches {
				t.Fatalf("%s cut at byte %d of %d: %q, %d batches after %d", kind, end, len(all), r.Cut, r.Batches(), batches)
			}
			if batches = r.Batches(); seen[batches] {
				continue
			}
			seen[batches] = true
			c, err := replayed(t, r, Pace{}, false, "bcht")
			must(t, err)
			must(t, c.Err())
		}
		if len(seen) != 3 {
			t.Errorf("%s: %d numbers of batches", kind, len(seen))
		}
	}
}

func TestCutOffNeedsPartial(t *testing.T) {
	all := contents(t, recorded(t, everything, Recipe, "bcht"))
	path := filepath.Join(t.TempDir(), "cut")
	must(t, os.WriteFile(path, all[:len(all)-1], 0o644))
	if _, err := Open(path, false); err == nil || !strings.HasSuffix(err.Error(), "cut: it is cut off after batch 26; hint: --partial takes what is there") {
		t.Error(err)
	}
	r, err := Open(path, true)
	must(t, err)
	if !strings.Contains(r.Title(), "cut off") {
		t.Error(r.Title())
	}
}

// A recording in which any byte was changed is refused.
func TestChangedAnywhere(t *testing.T) {
	all := contents(t, recorded(t, everything, Recipe, "bcht"))
	for at := range all {
		was := all[at]
		all[at] ^= 1
		if r, err := readBytes(all); err == nil && r.Cut == "" {
			t.Fatalf("byte %d of %d was changed, and nobody noticed", at, len(all))
		}
		all[at] = was
	}
}

func TestWrongRecordings(t *testing.T) {
	text := string(contents(t, recorded(t, everything, Recipe, "bcht")))
	for _, c := range []struct{ old, new, want string }{
		{"recording 1.1 recipe", "recording 2.3 recipe", "line 1: it is of version 2.3, this program reads 1.0 to 1.1 and later ones of 1"},
		{"recording 1.1 recipe", "recording 1.1 cake", `line 1: it is a recording of the kind "cake", allowed are recipe and materialised`},
		{"recording 1.1 recipe", "recording 1.1 materialised", "it says that it is materialised, and is a text"},
		{"hashzoo recording", "hello recording", "line 1: it is no recording"},
		{"generators=1", "generators=2", "its batches are made by generators of version 2, this program has 1"},
		{"option name", "opinion name", `unknown line "opinion": did you mean option?`},
		{"| -- All", "| -- all", "the script is not the one that was recorded"},
		{"pair=k4v4 n", "pair=k5v4 n", `pair is "k5v4", allowed are`},
		{"load=0.5", "load=1.5", `load is "1.5": it takes a number from 0 to 1`},
		{"batch number=1 op=insert n=200", "batch number=2 op=insert n=200", "batch 2 after batch 0"},
		{"op=insert n=200", "op=insert n=201", "keys: n is 201, and it has 200 numbers"},
		{"op=insert n=200", "op=insert n=99999999999999999999", "n is "},
		{"op=insert n=200", "op=inset n=200", `unknown operation "inset": did you mean insert?`},
		{"op=insert n=200", "op=insert n=200 colour=red", "unknown field colour"},
		{"op=insert n=200", "op=insert n=200 n=200", "n is given twice"},
		{`keys="take(`, `keys="tke(`, `keys: stream, character 1: unknown stream "tke"`},
		{`keys="take(unique`, `keys=take(unique`, "such a value is in quotes"},
		{"phase name=\"first\"", "phase name=\"prepare\"", `a second phase named "prepare"`},
		{"round=3", "round=1", "round 1 after round 2"},
		{"check=counts", "check=cunts", `check is "cunts", allowed are counts and legal`},
		{"\nbatch number=2", "\nalso scheme=bcht\nbatch number=2", "also is a scheme beside that of the table, before the first phase"},
		{"\nbatch number=2", "\nstopped why=it\nbatch number=2", "batch after the run was stopped"},
		{"\nbatch number=2", "\nstopped\nbatch number=2", "stopped does not say why"},
		{"\nscript name", "\nstopped why=it\nscript name", "stopped before the first point"},
		{"index point=1", "index point=2", "the index does not fit the phases"},
		{"contents pairs=200", "contents pairs=2e5", `pairs is "2e5"`},
		{"\nend batches", "\nend  batches", "there is "},
		{"end batches=26", "end batches=27", "the numbers of batches and operations are not those of the file"},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		seal := sealed
		if strings.HasPrefix(c.old, "index") || strings.Contains(c.old, "end ") {
			seal = digested
		}
		_, err := readBytes(seal(changed))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v; it should say %q", c.new, c.old, err, c.want)
		}
	}
	if _, err := readBytes([]byte(text + "more\n")); err == nil || !strings.Contains(err.Error(), "something follows the end") {
		t.Error(err)
	}
	for _, text := range []string{"", "\n", "hashzoo recording 1.1 recipe\n", strings.Repeat("x", 1<<20)} {
		if r, err := readBytes([]byte(text)); err == nil {
			t.Errorf("%q is read as %+v", shorten(text), r)
		}
	}
}

// What a newer minor version adds is passed over.
func TestNewerMinorVersion(t *testing.T) {
	text := string(contents(t, recorded(t, everything, Recipe, "bcht")))
	for old, other := range map[string]string{"recording 1.1": "recording 1.7", "op=insert": "shape=round op=insert", "option name": "season name=\"spring\"\noption name"} {
		text = strings.Replace(text, old, other, 1)
	}
	r, err := readBytes(sealed(text))
	must(t, err)
	if r.Minor != 7 || r.Batches() != 26 {
		t.Errorf("%+v", r.Header)
	}
	c, err := replayed(t, r, Pace{}, false, "1cht")
	must(t, err)
	must(t, c.Err())
}

// full is a disk that has room for so many bytes.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func (*full) Close() error { return nil }

// A full disk ends the run that is recorded, with an error that says so.
func TestFullDisk(t *testing.T) {
	first, err := Open(recorded(t, little, Recipe, "bcht"), false)
	must(t, err)
	for _, kind := range kinds {
		disk := &full{left: 700}
		to := &Recorder{path: "here", header: Header{Kind: kind}, dev: open(t, 1), out: newWriter(newTextSink(disk))}
		if kind == Materialised {
			to.out = newWriter(newArrowSink(disk))
		}
		err := runOn(t, first, to, "bcht")
		if err == nil || !strings.Contains(err.Error(), "recording here: ") || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// Whichever byte of an Arrow file is changed, it is an error, or the numbers are those that
// were recorded.
func TestChangedColumns(t *testing.T) {
	all := contents(t, recorded(t, little, Materialised, "bcht"))
	r, err := readBytes(all)
	must(t, err)
	dev := open(t, 1)
	keys := r.columns.found[0].At + 64 // in the column of keys: operations of 20 bytes come first
	refused := 0
	for at := range all {
		all[at] ^= 1
		r, err := readBytes(all)
		if err == nil && r.Cut == "" {
			err = r.Verify(dev)
		}
		if err != nil {
			refused++
		}
		if int64(at) == keys && err == nil {
			t.Error("another key, and nobody noticed")
		}
		all[at] ^= 1
	}
	if refused < len(all)/4 {
		t.Errorf("%d of %d changes were noticed", refused, len(all))
	}
}
