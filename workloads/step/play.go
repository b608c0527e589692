package step

import (
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Line is a line of a scheme's vectors that was carried out.
type Line struct {
	engine.VectorLine
	Done  *Operation // if it is an operation
	State State      // of the table afterwards
}

// Play carries out the vectors of a scheme step by step: the tables that have all settings of a configuration, or all
// tables if none has. Lines that tell something untrue are errors. Without vectors, it carries out a few operations.
func Play(config schemes.Config, see func(Line) error) error {
	dev, err := devices.Open("cpu", device.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer dev.Close()
	player := engine.NewPlayer(dev)
	defer player.End()
	for _, l := range chosen(config) {
		line, err := play(player, l)
		if err == nil {
			err = see(line)
		}
		if err != nil {
			return err
		}
	}
	return player.End()
}

// Kernels are those that Play needs; the table of a library has none.
func Kernels(config schemes.Config) []string {
	if Instrumented(config) != nil {
		return nil
	}
	return engine.VectorKernels(false, chosen(config))
}

// play carries out a line.
func play(player *engine.Player, l engine.VectorLine) (line Line, err error) {
	line.VectorLine = l
	if kernels.OpNumber(l.Words[0]) < 0 || player.Table == nil {
		err = player.Play(l)
	} else {
		asked, _, _ := strings.Cut(strings.Join(l.Words[1:], " "), "->")
		var done Operation
		done, err = watch(player, l.Words[0], strings.Fields(asked), func() error {
			if l.Number == 0 { // not of the vectors, so it tells no outcome
				return player.Do(l.Words[0], l.Words[1:]...)
			}
			return player.Play(l)
		})
		line.Done = &done
	}
	if err != nil {
		return line, err
	}
	image, err := readImage(player.Table)
	line.State = image.state()
	return line, err
}

// chosen are the lines of the tables that a configuration asks for.
func chosen(config schemes.Config) []engine.VectorLine {
	all, asked := engine.VectorLines(config.Vectors), false
	some := lists.Filter(all, func(l engine.VectorLine) bool {
		if l.Words[0] == "table" && len(l.Words) > 1 {
			asked = agrees(config, l.Words[1])
		}
		return asked
	})
	switch {
	case len(all) == 0:
		return few(config)
	case len(some) == 0:
		return all
	}
	return some
}

// few are operations on a few keys, for a scheme without vectors.
func few(config schemes.Config) []engine.VectorLine {
	lines := []engine.VectorLine{small(config)}
	for _, op := range config.Caps.Ops {
		words := []string{op, "3", "99"}
		switch o := kernels.Op(op); {
		case o.Kind != kernels.OnKeys:
			continue
		case o.Adds:
			words = []string{op, "1=10", "2=20", "3=30", "4=40", "5=50", "6=60", "7=70", "8=80"}
		case o.Value:
			words = []string{op, "3=31", "99=0"}
		}
		for _, word := range words[1:] {
			lines = append(lines, engine.VectorLine{Words: []string{op, word}})
		}
	}
	return lines
}

// agrees reports whether a table of the vectors has all parameters that were set.
func agrees(config schemes.Config, table string) bool {
	other, err := schemes.Parse(table)
	if err != nil {
		return false
	}
	have := other.Settings()
	for name, value := range config.Settings() {
		if config.Given(name) && have[name] != value {
			return false
		}
	}
	return true
}
