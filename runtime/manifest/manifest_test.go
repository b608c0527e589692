package manifest

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// The gauges without a look and those that the host side reads are the same.
func TestGaugesOfTheHostSide(t *testing.T) {
	m := &Manifest{file: "x/scheme.toml", lines: map[string]int{"gauge.pool.help": 7, "gauge.away.help": 9}}
	m.Own = []*gauge{{Name: "pool", Help: "nodes"}, {Name: "away", Help: "pairs", Look: "look_away"}}
	for read, want := range map[string]string{
		"pool":      "",
		"":          "x/scheme.toml:7: gauge.pool.look is missing, and host.h does not read the gauge",
		"pool,away": "x/host.h: it reads the gauge away, and scheme.toml has none of that name without a look",
		"pool,nods": "x/host.h: it reads the gauge nods, and scheme.toml has none of that name without a look",
	} {
		m.side = host.Side{Gauges: strings.FieldsFunc(read, func(letter rune) bool { return letter == ',' })}
		must.Equal(t, m.checkRead(), want, read)
	}
}

// A gauge that the host side reads says nothing of bins.
func TestMistakesInGaugesOfTheHostSide(t *testing.T) {
	text := `name = "x"
title = "x"
about = "x"
paper = "x"
class = "X"
[can]
ops = ["find"]
pairs = ["k4v4"]
[gauge.pool]
help = "nodes"
labels = ["0", "1"]
`
	_, err := Read(fstest.MapFS{File: {Data: []byte(text)}, Host: {Data: []byte("//")}}, "x")
	want := "x/scheme.toml:10: gauge.pool.look is missing, and host.h adds the bars of such a gauge: leave out items, labels and first"
	must.Equal(t, err, want)
}

func TestRetoldVectorsKeepTheirLines(t *testing.T) {
	const text = "# About.\ntable old:bucket=4 pair=k4v4\ninsert 1=2\ntable old:bucket=8 pair=k4v4\ninsert 3=4\n"
	got := retell(text, "new", func(settings, pair string) bool { return settings == "bucket=8" && pair == "k4v4" })
	must.Match(t, got, "# About.\n\n\ntable new:bucket=8 pair=k4v4\ninsert 3=4\n")
	must.Match(t, retell(text, "new", func(string, string) bool { return false }), "", "vectors without a table")
}
