package tui

import (
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawHeader draws what is run, how far it is, and on what.
func drawHeader(a area, sc *scene) {
	a.line(0, 2, whatRuns(a, sc), whichInput(sc))
	a.line(1, 2, append(whereItRuns(sc), states(sc)...), []piece{{0, faint, "elapsed " + clock(sc.Elapsed), ""}})
	y := 2
	if text := trouble(sc); text != "" {
		a.text(1, y, bold|bad, a.c.fit(text, a.w-2))
		y++
	}
	a.fill(0, y, a.w, frame, "─")
}

// trouble is what is wrong with the run as a whole.
func trouble(sc *scene) string {
	switch {
	case sc.Err != nil:
		return "failed: " + strings.ReplaceAll(sc.Err.Error(), "\n", "; ")
	case sc.Incomparable != "":
		return "not comparable: " + sc.Incomparable
	}
	return ""
}

func whatRuns(a area, sc *scene) []piece {
	list := []piece{{6, bold | title, "hashzoo", ""}, {0, bold, sc.Name, ""}}
	if sc.Point != "" {
		list = append(list, piece{1, normal, fmt.Sprintf("%s (%d/%d)", sc.Point, sc.PointIndex+1, sc.PointOf), ""})
	}
	if sc.Phase != "" {
		list = append(list, piece{2, normal, fmt.Sprintf("%s (%d/%d)", sc.Phase, sc.PhaseIndex+1, sc.PhaseOf), ""})
	}
	if sc.Done >= 0 {
		list = append(list, piece{4, accent, meter(min(max((a.w-44)/6, 6), 24), sc.Done), ""}, piece{0, normal, fmt.Sprintf("%3.0f %%", 100*min(sc.Done, 1)), ""})
	}
	if sc.Left >= 0 && sc.State != live.Ended {
		list = append(list, piece{3, normal, "eta " + clock(sc.Left), ""})
	}
	return list
}

func whichInput(sc *scene) []piece {
	list := []piece{{3, normal, fmt.Sprintf("seed %d", sc.Seed), ""}}
	if sc.Input != "" {
		list = append(list, piece{5, faint, "in " + shortDigest(sc.Input), ""})
	}
	loop := "closed loop"
	if sc.Rate > 0 {
		loop = "open loop " + short(sc.Rate/1e6) + " Mop/s"
	}
	return append(list, piece{4, faint, loop, ""})
}

func whereItRuns(sc *scene) []piece {
	d := sc.Device
	name, unit := d.Name, "threads"
	list := []piece{}
	if d.Driver != "" {
		unit = "SMs"
	}
	if d.Threads == 1 {
		unit = unit[:len(unit)-1]
	}
	if d.Threads > 0 {
		name += fmt.Sprintf(" %d %s", d.Threads, unit)
	}
	list = append(list, piece{1, normal, name, ""}, piece{6, faint, d.Model, ""})
	if d.Driver != "" && d.Memory > 0 {
		list = append(list, piece{4, normal, fmt.Sprintf("memory %s of %s", memory(float64(d.Memory-sc.Free)), memory(float64(d.Memory))), ""})
	}
	return list
}

// states are what is not as usual, in words.
func states(sc *scene) (list []piece) {
	add := func(when bool, rank int, st style, text string) {
		if when {
			list = append(list, piece{rank, st, text, ""})
		}
	}
	add(sc.frozen, 0, bold|warn, "FROZEN, the run is at "+clock(sc.now))
	add(sc.State == live.Starting, 0, accent, "STARTING")
	add(sc.State == live.Paused, 0, bold|warn, "PAUSED")
	add(sc.State == live.Ended && sc.Err == nil, 0, bold|good, "ENDED")
	add(sc.State == live.Ended && sc.Err != nil, 0, bold|bad, "FAILED")
	add(sc.Warmup && sc.State != live.Ended, 2, warn, "warm-up")
	add(sc.Replay, 2, accent, fmt.Sprintf("replay ×%g", sc.Speed))
	add(sc.Recording != "", 1, bold|bad, "● rec "+sc.Recording)
	add(sc.Counted, 5, faint, "counted")
	add(sc.filter != "", 2, warn, "filter "+sc.filter)
	return list
}

// meter is a bar of n cells of which a part is full.
func meter(n int, part float64) string {
	full := min(max(int(part*float64(8*n)+0.5), 0), 8*n)
	text := strings.Repeat("█", full/8)
	if rest := full % 8; rest > 0 {
		text += across[rest]
	}
	return text + strings.Repeat("░", n-(full+7)/8)
}
