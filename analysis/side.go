package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aclements/go-moremath/stats"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Side is one side of a comparison: the files of one run, or of a run that was repeated.
type Side struct {
	Name  string
	Files []File
}

// File is a result file.
type File struct {
	Path string
	Text []byte // the whole file
	results.Document
}

// Files are those of all sides.
func Files(sides []Side) []File {
	return slices.Concat(lists.Map(sides, func(s Side) []File { return s.Files })...)
}

// ReadSide reads a file, all result files of a folder, or several of these separated by commas. They have whole runs.
func ReadSide(name string) (Side, error) {
	side, err := ReadParts(name)
	if trouble := side.Trouble(); trouble != "" && err == nil {
		err = errors.New(trouble + ": compare whole runs")
	}
	return side, err
}

// Trouble says which run did not end as it should, or nothing.
func (s Side) Trouble() string {
	f := lists.First(s.Files, func(f File) bool { return !f.End.Whole() })
	return lists.Either(f.End.Whole(), "", fmt.Sprintf("%s: the run did not end (%s)", f.Path, f.End.Why()))
}

// ReadParts is ReadSide for runs that may have failed, or been interrupted: what they have until then.
func ReadParts(name string) (Side, error) {
	side := Side{Name: name}
	paths, err := lists.TryMap(strings.Split(name, ","), filesOf)
	if err == nil {
		side.Files, err = lists.TryMap(slices.Concat(paths...), readFile)
	}
	return side, err
}

// filesOf returns a path, or the result files of a folder in order.
func filesOf(path string) (list []string, _ error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	found, err := lists.TryMap([]string{"*.json", "*.ndjson"}, func(pattern string) ([]string, error) { return filepath.Glob(filepath.Join(path, pattern)) })
	if list = slices.Concat(found...); len(list) == 0 && err == nil {
		err = fmt.Errorf("folder %s has no results: it takes files *.json or *.ndjson of --json or --ndjson", path)
	}
	slices.Sort(list)
	return list, err
}

func readFile(path string) (File, error) {
	const maxFile = 1 << 30 // bytes
	text, err := regular.Read(path, maxFile)
	if err != nil {
		return File{}, err
	}
	d, err := results.Read(text)
	if errors.Is(err, results.ErrCutOff) {
		d.End.Error, err = "the file was cut off", nil
	}
	switch {
	case err != nil:
		return File{}, fmt.Errorf("%s: %w; hint: results are files of --json or --ndjson", path, err)
	case len(d.Rows) == 0 && !d.End.Whole():
		return File{}, fmt.Errorf("%s has no rows: %s", path, d.End.Why())
	case len(d.Rows) == 0:
		return File{}, errors.New(path + " has no rows")
	}
	return File{path, text, d}, nil
}

// Key has the values that rows of both sides must share to be compared.
type Key struct {
	Scheme string `json:"scheme"`
	Pair   string `json:"pair"`
	Op     string `json:"op"`
	Phase  string `json:"phase,omitempty"`
	Point  string `json:"point,omitempty"`
}

func KeyOf(r results.Row) Key { return Key{r.Scheme, r.Pair, r.Op, r.Phase, PointText(r.Point)} }

// PointText writes a point: load=0.8 present=1.
func PointText(p results.Point) string {
	coordinate := func(name string) string { return fmt.Sprintf("%s=%v", name, p[name]) }
	return strings.Join(lists.Map(slices.Sorted(maps.Keys(p)), coordinate), " ")
}

// Rates are the median rates of the rows.
func (s Side) Rates() map[Key]float64 {
	rates := map[Key]float64{}
	for _, g := range s.group() {
		rates[g.key] = middle(g.rows)
	}
	return rates
}

func (k Key) title() string {
	return strings.TrimSpace(strings.Join([]string{k.phaseAndOp(), k.Point}, " "))
}

// phaseAndOp leaves out what is said twice: the phase "find 50 %" is of finds.
func (k Key) phaseAndOp() string {
	return lists.Either(k.Phase == "" || k.Phase == k.Op || strings.HasPrefix(k.Phase, k.Op+" "), max(k.Phase, k.Op), k.Phase+" "+k.Op)
}

// level is the logarithm of a run's time for an operation, with its noise.
type level struct {
	log     float64
	noise   float64 // the standard deviation of log that the run itself shows; infinite if it had too few batches to show one
	started time.Time
}

func logs(levels []level) []float64 { return lists.Map(levels, func(l level) float64 { return l.log }) }

// within is the mean variance within runs.
func within(levels []level) float64 {
	return lists.Sum(levels, func(l level) float64 { return l.noise * l.noise / float64(len(levels)) })
}

// levelsOf returns the levels of some rows, relative to each other. Batches are paired if all
// rows have the same ones; otherwise the medians are compared.
func levelsOf(rows []results.Row, started []time.Time) (list []level) {
	const deviations = 1.96 // of a normal distribution from its mean that hold 95 percent
	center := centerOf(rows)
	for i, r := range rows {
		l := level{log: -math.Log(r.Rate), noise: math.Inf(1), started: started[i]}
		if r.Noise != nil {
			l.noise = *r.Noise / deviations
		}
		if center != nil {
			l.log = math.Log(median(ratios(r.Runs, center))) - math.Log(float64(r.Completed))
		}
		list = append(list, l)
	}
	return list
}

// centerOf returns the median time of each batch over all rows; nil if they do not have the same batches.
func centerOf(rows []results.Row) (center []float64) {
	first := rows[0]
	for _, r := range rows {
		if r.Batches != first.Batches || r.Batches == 0 || r.N != first.N || len(r.Runs) != len(first.Runs) {
			return nil
		}
	}
	for k := range first.Runs {
		center = append(center, median(lists.Map(rows, func(r results.Row) float64 { return r.Runs[k] })))
	}
	return center
}

// ratios of times, batch by batch, except for those too short for the clock.
func ratios(runs, center []float64) (list []float64) {
	for k, seconds := range runs {
		if center[k] > 0 && seconds > 0 {
			list = append(list, seconds/center[k])
		}
	}
	return list
}

func median(list []float64) float64 { return stats.Sample{Xs: list}.Quantile(0.5) }

// Measured is a row of a side. Of repeated runs, it is the merged one.
type Measured struct {
	results.Row
	Mark string // why its rate is no figure of its scheme, or nothing
}

// Measured returns the rows of a side for figures and tables.
func (s Side) Measured() (list []Measured) {
	if len(s.Files) == 1 {
		return lists.Map(s.Files[0].Rows, func(r results.Row) Measured { return Measured{r, wrong(r)} })
	}
	merged := s.Merge()
	for i, g := range s.group() {
		m := Measured{merged[i], wrong(merged[i])}
		for _, r := range g.rows {
			r.Noise = nil // theirs is that of the spread
			m.Mark = cmp.Or(m.Mark, wrong(r))
		}
		list = append(list, m)
	}
	return list
}

// Interval holds the true rate with a probability of 95 percent. It is empty if that is not known.
func (m Measured) Interval() (low, high float64) { return bounds(m.Rate, m.Noise) }

// bounds is the interval of a value whose logarithm has this noise. Beyond MaxNoise it would say nothing.
func bounds(y float64, noise *float64) (low, high float64) {
	if noise == nil || *noise > results.MaxNoise {
		return y, y
	}
	return y * math.Exp(-*noise), y * math.Exp(*noise)
}

// Merge returns the rows of repeated runs as those of one: of each, the run with the median
// rate, and as its noise how much the runs differ.
func (s Side) Merge() (list []results.Row) {
	for _, g := range s.group() {
		sorted := slices.SortedFunc(slices.Values(g.rows), func(a, b results.Row) int { return cmp.Compare(a.Rate, b.Rate) })
		row := sorted[(len(sorted)-1)/2]
		row.Noise, row.Settled = spread(g.rows), true
		list = append(list, row)
	}
	return list
}

// spread is half the 95 percent interval of the mean, as a fraction; nil for a single run.
func spread(rows []results.Row) *float64 {
	if len(rows) < 2 {
		return nil
	}
	s := trimmed(lists.Map(rows, func(r results.Row) float64 { return -math.Log(r.Rate) }))
	half := student(s.kept-1).Quantile((1+confidence)/2) * s.deviation()
	return lists.Either(math.IsNaN(half) || math.IsInf(half, 0), nil, &half)
}
