package schemes

// Gauge is something inside a table that is worth watching while it works.
type Gauge struct {
	Name string // bucket fill
	Help string // a line
	Unit string // of the values: buckets, slabs, %; empty of plain numbers
	Read func(Table) ([]Bar, error)
}

// Bar is a value that a gauge shows. A gauge with one bar is a number, one with several
// is a chart.
type Bar struct {
	Label string // 0, 1-2, subtable 3; empty if there is one only
	Value float64
	Of    float64 // the most that it can be; 0: there is no such bound
}

// Reading is what a gauge showed.
type Reading struct {
	Name, Help, Unit string
	Bars             []Bar
}
