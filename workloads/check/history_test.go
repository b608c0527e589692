package check

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// past reads a history: batches of operations, which overlap, separated by bars.
//
//	insert 1 ok, find 1 ok | contents 1
func past(t *testing.T, text string) []porcupine.Operation {
	t.Helper()
	var list []porcupine.Operation
	for batch, acts := range strings.Split(text, "|") {
		for _, words := range strings.Split(acts, ",") {
			f := strings.Fields(words)
			p := porcupine.Operation{Input: call{op: f[0]}, Call: int64(2 * batch), Return: int64(2*batch + 1)}
			value := func(word string) uint64 { return uint64(word[0] - '0') }
			switch {
			case f[0] == "contents":
				var values []uint64
				for _, word := range f[1:] {
					values = append(values, value(word))
				}
				p.Output = sorted(values)
			case f[0] == "find" && len(f) == 3:
				p.Output = engine.Given{Outcome: "ok", Value: value(f[1])}
			default:
				if len(f) == 3 {
					p.Input = call{f[0], value(f[1])}
				}
				p.Output = engine.Given{Outcome: f[len(f)-1]}
			}
			list = append(list, p)
		}
	}
	return list
}

func TestHistoriesThatHaveAnOrder(t *testing.T) {
	for _, text := range []string{
		"contents",
		"insert 1 ok, find missing, find 1 ok | contents 1",
		"insert 1 ok, erase missing | find 1 ok | erase ok, find 1 ok, find missing | contents",
		"insert 1 ok, erase ok, find missing, find 1 ok | contents",
		"upsert 1 ok, upsert 2 replaced | contents 2",
		"upsert 1 ok, erase ok, upsert 2 ok | contents 2",
		"upsert 1 ok, erase ok, upsert 2 replaced | contents",
		"insert 1 ok | update 2 ok, find 1 ok, find 2 ok | contents 2",
		"insert 1 ok, insert 2 ok | erase ok | contents 1",
		"insert 1 ok, insert 2 ok | update 3 ok, find 1 ok, find 2 ok | contents 2 3",
		"insert 1 ok | insert 2 failed | contents 1",
		"add 1 ok, add 2 replaced, find 1 ok, find 3 ok | contents 3",
		"add 1 ok, erase ok, add 2 ok | tally 0 replaced | contents 3",
		"insert 5 ok | min 2 replaced, max 3 replaced, find 5 ok, find 2 ok | contents 3",
	} {
		must.Match(t, porcupine.CheckOperationsTimeout(sequential(schemes.Pair4), past(t, text), 0), porcupine.Ok, text)
	}
}

func TestHistoriesWithoutAnOrder(t *testing.T) {
	for what, text := range map[string]string{
		"a lost pair":                   "insert 1 ok | find missing",
		"a resurrected pair":            "insert 1 ok | erase ok | find 1 ok",
		"a pair seen before it came in": "find 1 ok | insert 1 ok",
		"one pair erased twice":         "insert 1 ok | erase ok, erase ok",
		"an old value after a new one":  "insert 1 ok | update 2 ok | find 1 ok",
		"two that brought one key in":   "upsert 1 ok, upsert 2 ok",
		"nobody brought it in":          "upsert 1 replaced, upsert 2 replaced",
		"the value of who came first":   "upsert 1 ok, upsert 2 replaced | contents 1",
		"a duplicate":                   "upsert 1 ok, upsert 2 replaced | contents 1 2",
		"a pair that nobody took":       "insert 1 ok | contents",
		"missed, and never away":        "insert 1 ok | find missing, update 2 ok",
		"no room, and there is":         "insert 1 failed",
		"no room for one that is there": "insert 1 ok | upsert 2 failed",
		"a lost sum":                    "insert 1 ok | add 2 replaced, add 4 replaced | contents 5",
		"a sum of an erased one":        "insert 1 ok | erase ok | add 2 replaced",
		"a least that is not":           "insert 5 ok | min 2 replaced, max 3 replaced | contents 5",
		"both values, and one pair":     "insert 1 ok | update 2 ok | contents 1 2",
	} {
		must.Match(t, porcupine.CheckOperationsTimeout(sequential(schemes.Pair4), past(t, text), 0), porcupine.Illegal, what, text)
	}
}

func TestHistoriesAreDescribed(t *testing.T) {
	text := describe(past(t, "insert 1 ok, find 1 ok | erase missing | contents 1 2"))
	must.Match(t, text, "    insert 1 ok; find 0 ok 1;\n    erase 0 missing;\n    contents [1 2]")
}

// Operations of one key meet: they are side by side, or a piece apart.
func TestArrange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	acts := make([][]act, 4*crowd)
	total := 0
	for key := range acts {
		for range 1 + random.IntN(6) {
			acts[key] = append(acts[key], act{key, "find"})
			total++
		}
	}
	order := arrange(random, acts)
	must.Need(t, len(order) == total, "%d acts, of %d", len(order), total)
	last, side, apart := map[int]int{}, 0, 0
	for i, a := range order {
		if before, ok := last[a.key]; ok {
			switch distance := i - before; {
			case distance == 1:
				side++
			case distance <= 2*crowd:
				apart++
			default:
				t.Errorf("act %d of key %d comes %d after the one before", i, a.key, distance)
			}
		}
		last[a.key] = i
	}
	must.Hold(t, side != 0 && apart != 0, "%d are side by side, %d a piece apart", side, apart)
}

// confused is a device on which finds of a shared launch give what others gave.
type confused struct{ device.Device }

func (d confused) Call(kernel string, table, batch []byte, count uint64) error {
	err := d.Device.Call(kernel, table, batch, count)
	if err != nil || !strings.HasSuffix(kernel, "_"+schemes.MixOp) {
		return err
	}
	var b kernels.Batch
	ops, status := make([]byte, count), make([]byte, count)
	out := make([]byte, 4*count)
	copy(kernels.Bytes(&b), batch)
	err = errors.Join(d.Read(ops, device.Addr(b.Ops)), d.Read(status, device.Addr(b.Status)), d.Read(out, device.Addr(b.Out)))
	swap := func(i, j int) {
		status[i], status[j] = status[j], status[i]
		for k := range 4 {
			out[4*i+k], out[4*j+k] = out[4*j+k], out[4*i+k]
		}
	}
	first := -1
	for i, op := range ops {
		switch {
		case uint64(op) != opCode("find"):
		case first < 0:
			first = i
		case status[first] != status[i]:
			swap(first, i)
			first = -1
		}
	}
	return errors.Join(err, d.Write(device.Addr(b.Status), status), d.Write(device.Addr(b.Out), out))
}

// Errors of operations that share a launch are found.
func TestRacesThatGoWrong(t *testing.T) {
	for _, s := range schemes.All() {
		if len(s.Caps.Concurrent) == 0 {
			continue
		}
		c := &climb{climber: climber{s.Defaults(), s.Caps.Pairs[0]}, dev: gpu{confused{openCPU(t, 2)}, "none"}, seed: 1, scale: scale{small: 1 << 9, large: 1 << 14, seeds: 2}}
		for _, r := range ladder {
			if strings.HasPrefix(r.name, "several operations race") || strings.HasPrefix(r.name, "small histories") {
				must.Say(t, c.try(r.climb), "key 0x", s.Name, r.name)
			}
		}
	}
}
