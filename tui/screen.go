package tui

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

// pane draws a screen of a run.
type pane struct {
	name string
	help string
	draw func(area, *scene) // does not change the scene
	bins func(w, h int) int // bins that it draws of each series at most
	// extent returns how many lines a pane has, and how many are seen; nil: it does not scroll.
	extent func(a area, sc *scene) (lines, seen int)
}

// panes are indexed by screen. The first is drawn by the form.
var panes = [screens]pane{
	onStart:    {name: "start"},
	onOverview: {name: "overview", help: "a lane each", draw: drawOverview, bins: func(w, _ int) int { return w }},
	onCompare:  {name: "compare", help: "one chart", draw: drawCompare, bins: func(w, _ int) int { return 2 * w }},
	onLatency:  {name: "latency", help: "times of batches", draw: drawLatency, bins: few},
	onInside:   {name: "inside", help: "what a table holds", draw: drawInside, bins: few, extent: extentInside},
	onLog:      {name: "log", help: "what happened", draw: drawLog, bins: few, extent: extentLog},
}

func few(int, int) int { return 64 }
