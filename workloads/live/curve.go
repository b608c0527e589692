package live

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Curve names a rate over the load factor: of an operation in a phase, at points that differ in the load factor alone.
// Other phases and points have other keys.
type Curve struct {
	Phase, Op string
	Where     string // the other coordinates: hits=0.5; empty: none
}

func (c Curve) String() string {
	text := c.Op
	if c.Phase != "run" { // the name of a stage without one
		text += " in " + c.Phase
	}
	if strings.HasPrefix(c.Phase, c.Op+" ") {
		text = c.Phase
	}
	if c.Where != "" {
		text += " at " + c.Where
	}
	return text
}

// Spot is the measured batches of a curve at about one load factor.
type Spot struct {
	Bin
	Batches uint64
	Failed  bool    // inserts had found no room before
	loads   float64 // their sum
	squares float64 // the sum of the squares of times, each for one operation of its batch: seconds squared
}

// Load is the mean load factor.
func (s Spot) Load() float64 { return s.loads / float64(s.Batches) }

// Add adds the batches of another spot.
func (s *Spot) Add(more Spot) {
	s.add(more.Bin)
	s.Batches, s.Failed = s.Batches+more.Batches, s.Failed || more.Failed
	s.loads, s.squares = s.loads+more.loads, s.squares+more.squares
}

// Noise is half the 95 percent interval of the mean time of an operation, as a part of it; NaN for a single batch.
func (s Spot) Noise() float64 {
	if s.Batches < 2 {
		return math.NaN()
	}
	mean := s.Service.Seconds() / float64(s.Completed)
	n := float64(s.Batches)
	variance := max(s.squares/float64(s.Completed)-mean*mean, 0) * n / (n - 1)
	return analysis.HalfInterval(math.Sqrt(variance), s.Batches) / mean
}

// NewSpot is a batch.
func NewSpot(load float64, b Bin) Spot {
	seconds := b.Service.Seconds()
	return Spot{Bin: b, Batches: 1, loads: load, squares: seconds * seconds / float64(b.Completed)}
}

// curve is the spots of one scheme, sorted by the load factor.
type curve []Spot

// Spots are 1/loadWidth of the load factor wide. The last one has all higher loads.
const (
	loadWidth = 512
	maxSpots  = 1024
)

func (s Spot) bin() int { return int(min(max(s.Load(), 0)*loadWidth, maxSpots-1)) }

func (c *curve) add(s Spot) {
	i, known := slices.BinarySearchFunc(*c, s.bin(), func(other Spot, bin int) int { return cmp.Compare(other.bin(), bin) })
	if !known {
		*c = slices.Insert(*c, i, Spot{})
	}
	(*c)[i].Add(s)
}

// maxCurves bounds the memory of a run with many phases and points.
const maxCurves = 100

// plot adds a batch to its curve. Operations on whole tables have no rate.
func (r *Run) plot(e run.Measured) {
	s := e.Sample
	if e.Warmup || s.Completed() == 0 || s.Service <= 0 || slices.Contains(schemes.TableOps, s.Op) {
		return
	}
	here := r.here(s.Op)
	i := slices.Index(r.now.Curves, here)
	if i < 0 && len(r.now.Curves) == maxCurves {
		return
	}
	if i < 0 {
		i, r.now.Curves = len(r.now.Curves), append(r.now.Curves, here)
		for _, l := range r.lanes {
			l.curves = append(l.curves, nil)
		}
		if i+1 == maxCurves {
			r.entry(Note, -1, 0, "further phases and points are not drawn over the load factor: there are 100 curves")
		}
	}
	l := r.lanes[e.Scheme]
	spot := NewSpot(s.Load, Bin{s.Completed(), s.Service})
	spot.Failed = l.Scheme.Failed > 0
	l.curves[i].add(spot)
}

// here is the curve of an operation now.
func (r *Run) here(op string) Curve {
	at := slices.DeleteFunc(slices.Clone(r.progress.Point.Point), func(c run.Coordinate) bool { return c.Name == "load" || c.Name == run.Repeat })
	return Curve{r.progress.Phase.Name, op, at.String()}
}

// curve returns the curve of a view: the one chosen, or of its operation the first one of the present phase, or else
// the last one; -1: none.
func (r *Run) curve(v View) int {
	if v.Curve > 0 && v.Curve <= len(r.now.Curves) {
		return v.Curve - 1
	}
	last := -1
	for i, c := range r.now.Curves {
		if v.Op != "" && c.Op != v.Op {
			continue
		}
		if last = i; c == r.here(c.Op) {
			break
		}
	}
	return last
}
