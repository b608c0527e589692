package tui

// screen is one of the screens.
type screen int

const (
	onStart screen = iota
	onOverview
	onCompare
	onLatency
	onInside
	onLog
	screens int = iota
)

// pane is what the screens have in common: how they are drawn, and what they need.
type pane struct {
	name string
	help string
	// draw draws the scene, which it does not change.
	draw func(area, *scene)
	// bins is how many bins of each series it shows at most, in an area of that size.
	bins func(w, h int) int
	// extent is how many lines there are, and how many of them can be seen: the rest can
	// be scrolled to. nil: it does not scroll.
	extent func(a area, sc *scene) (lines, seen int)
}

// panes are the screens, by their number. The first is no pane: it is a form.
var panes = [screens]pane{
	onStart:    {name: "start"},
	onOverview: {name: "overview", help: "a lane each", draw: drawOverview, bins: func(w, _ int) int { return w }},
	onCompare:  {name: "compare", help: "one chart", draw: drawCompare, bins: func(w, _ int) int { return 2 * w }},
	onLatency:  {name: "latency", help: "times of batches", draw: drawLatency, bins: few},
	onInside:   {name: "inside", help: "what a table holds", draw: drawInside, bins: few, extent: extentInside},
	onLog:      {name: "log", help: "what happened", draw: drawLog, bins: few, extent: extentLog},
}

func few(int, int) int { return 64 }

// runs are the screens of a run, in the order of their numbers.
var runs = []screen{onOverview, onCompare, onLatency, onInside, onLog}
