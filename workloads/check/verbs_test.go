package check

import (
	"math/rand/v2"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

func openCPU(t testing.TB, threads int) device.Device {
	t.Helper()
	dev := must.Get(cpu.Backend().Open(0, device.Options{Threads: threads}))(t)
	t.Cleanup(func() { dev.Close() })
	return dev
}

// openPieces opens a device whose workers take small pieces, so that they meet in small tables.
func openPieces(t *testing.T, name string) device.Device {
	t.Helper()
	dev := must.Get(devices.Open(name, device.Options{Threads: 2, Piece: 128}))(t)
	t.Cleanup(func() { dev.Close() })
	return dev
}

// Every change of a self-test's output is noticed.
func TestSelfTestsNoticeEveryChange(t *testing.T) {
	dev := openCPU(t, 2)
	for name, test := range selfTests {
		run := must.Get(runSelfTest(dev, name, 4, 1))(t)
		must.OK(t, test.check(run))
		written := int(run.row(5, run.rows-1)[0])
		for i := range written {
			if name == "helping" { // its rounds may be fewer; what it did is in memory
				break
			}
			row := run.row(5, i)
			row[0] += 2
			must.Hold(t, test.check(run) != nil, "%s: nobody notices that result %d of lane 0 is another", name, i)
			row[0] -= 2
		}
		err := test.check(run)
		must.Hold(t, err == nil, "%s: put back as it was: %v", name, err)
	}
}

func TestHelpingIsCheckedInMemory(t *testing.T) {
	run := must.Get(runSelfTest(openCPU(t, 1), "helping", 8, 1))(t)
	run.memory[3*inputWords+9]++
	must.Say(t, run.checkHelping(), "item 3, operation 9")
	run.memory[3*inputWords+9]--
	run.row(3, 0)[0] += 100
	must.Say(t, run.checkHelping(), "rounds for")
}

func TestNumbersOnce(t *testing.T) {
	for _, c := range []struct {
		numbers []uint64
		n       uint64
		want    string
	}{
		{[]uint64{2, 0, 1}, 3, ""},
		{[]uint64{2, 0}, 3, "counted to 3 instead of 2"},
		{[]uint64{2, 0, 2}, 3, "2 came back instead of 1"},
		{[]uint64{2, 0, 3}, 3, "2 came back instead of 1"},
	} {
		must.Say(t, everyNumberOnce("it", c.numbers, c.n), c.want, c.numbers, c.n)
	}
}

// thrown returns bars of some slots each, to which pairs were sent at random.
func thrown(r *rand.Rand, bars, slots, pairs int) []schemes.Bar {
	list := make([]schemes.Bar, bars)
	for range pairs {
		list[r.IntN(bars)].Value++
	}
	for i := range list {
		list[i].Of = float64(slots)
	}
	return list
}

// What differs by chance only is alike, in a small table too: parts of 512 slots often differ by more than a tenth.
func TestChanceIsNotUneven(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	far := 0
	for range 500 {
		bars := thrown(r, 5, 512, 5*384)
		must.Need(t, alike(bars), "uneven: %v", bars)
		for _, b := range bars[1:] {
			if filled(b) > 1.1*filled(bars[0]) {
				far++
			}
		}
	}
	must.Hold(t, far != 0, "no bars differed by a tenth, so this shows nothing")
}

// The filled shares of subtables as the paper draws them, and those of one subtable that gets too few pairs.
func TestUnevenBars(t *testing.T) {
	for _, shares := range [][]float64{{0.65, 0.95, 0.95}, {0.95, 0.95, 0.65}, {0.8, 0.8, 0.5, 0.8}} {
		var bars []schemes.Bar
		for _, share := range shares {
			bars = append(bars, schemes.Bar{Value: 2000 * share, Of: 2000})
		}
		must.Hold(t, !alike(bars), "shares of %v are called alike", shares)
	}
}
