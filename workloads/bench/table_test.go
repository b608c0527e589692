package bench

import (
	"bytes"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/results"
)

func figure(x float64) *float64 { return &x }

func TestTable(t *testing.T) {
	insert := results.Row{Scheme: "bcht:bucket=8", Op: "insert", Point: results.Point{"load_factor": 0.8},
		Rate: 9237.4, Noise: figure(0.0123), Settled: true, Counts: map[string]uint64{"failed": 3}, Load: 0.7998,
		BytesPerPair: figure(10.04), PerOp: map[string]float64{"probes": 1.1114}}
	find := results.Row{Scheme: "bcht:bucket=8", Op: "find", Point: results.Point{"load_factor": 0.8, "present": 1.0},
		Rate: 7.346, Noise: figure(0.2), PerOp: map[string]float64{"probes": 2}}
	other := results.Row{Scheme: "1cht", Op: "insert", Point: results.Point{"load_factor": 0.9}, Compare: "the inputs differ",
		Notes: []string{"rebuilt 3 times"}}
	rows := []results.Row{insert, find, other}

	var out bytes.Buffer
	if err := Table(rows).Print(&out); err != nil {
		t.Fatal(err)
	}
	want := `scheme         load  insert  find 100 %  noise  failed  filled     bytes  insert  find 100 %
                      Mop/s       Mop/s    ± %                  per pair  probes      probes
bcht:bucket=8   0.8    9237        7.35  20.0*       3   0.800      10.0   1.111       2.000

1cht            0.9   0.000           -      ?       0   0.000         -   0.000           -
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	remarks := []string{
		"* the noise did not come below its bound within the limits of repeat in config.toml",
		"? fewer than 6 runs say nothing about the noise",
		"not comparable: insert at load factor 0.9: the inputs differ",
		"1cht at load factor 0.9: rebuilt 3 times",
	}
	if got := Remarks(rows); !slices.Equal(got, remarks) {
		t.Errorf("remarks %q", got)
	}
}

// One scheme given twice is two lines: that is how to see how far noise goes.
func TestTheSameSchemeTwice(t *testing.T) {
	r := results.Row{Scheme: "1cht", Op: "insert", Point: results.Point{"load_factor": 0.5}, Noise: figure(0)}
	find := r
	find.Op, find.Point = "find", results.Point{"load_factor": 0.5, "present": 0.0}
	if lines := Table([]results.Row{r, r, find, find}).Rows; len(lines) != 2 {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}

func TestRate(t *testing.T) {
	for mops, want := range map[float64]string{24494.2: "24494", 999.96: "1000", 123.4: "123", 34.56: "34.6", 7.346: "7.35",
		0.1234: "0.123", 0.001: "0.001", 0: "0.000"} {
		if got := results.RateText(mops); got != want {
			t.Errorf("%g is written %s instead of %s", mops, got, want)
		}
	}
}
