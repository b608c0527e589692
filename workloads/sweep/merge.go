package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Merged is a file of results that Merge wrote: the points that belong into one table.
type Merged struct {
	Path   string `json:"path"`
	Model  string `json:"model"` // of the device
	Script string `json:"script"`
	Points int    `json:"points"`
	Rows   int    `json:"rows"`
	Hosts  int    `json:"hosts"`
}

// Merge writes the results of all points that are done as those of one run for each device model, and each script with
// its options. The runs of the points stay. Files of an earlier merge are replaced.
func (s Sweep) Merge() (list []Merged, _ error) {
	groups, err := s.groups()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.at(merged), 0o777); err != nil {
		return nil, err
	}
	for i, g := range groups {
		g.Path = s.at(merged, fileName(g, groups[:i])+extension)
		g.all.Run.Command = s.Command
		if err := regular.Write(g.Path, func(to *regular.Output) error { return results.WriteLines(to, g.all) }); err != nil {
			return list, err
		}
		list = append(list, g.Merged)
	}
	return list, s.dropOthers(list)
}

// dropOthers removes files of an earlier merge that this one did not write.
func (s Sweep) dropOthers(list []Merged) error {
	found, err := filepath.Glob(s.at(merged, "*"+extension))
	others := slices.DeleteFunc(found, func(path string) bool {
		return slices.ContainsFunc(list, func(m Merged) bool { return m.Path == path })
	})
	return cmp.Or(err, lists.Each(others, os.Remove))
}

// group has the results of one merged file.
type group struct {
	Merged
	key  string
	all  results.Document
	host map[string]bool
}

func (s Sweep) groups() (list []*group, err error) {
	done, err := s.Done()
	if err != nil {
		return nil, err
	}
	for _, p := range done {
		d, err := s.Read(p)
		if err != nil {
			return nil, err
		}
		r := d.Run // a table's rows share these values
		key := string(lists.Must(json.Marshal([]any{r.Device.Model, r.Device.Threads, r.Script.Name, r.Script.Source, r.Script.Options, r.Seed})))
		fresh := &group{Merged: Merged{Model: d.Run.Device.Model, Script: d.Run.Script.Name}, key: key, host: map[string]bool{}}
		g := *lists.At(&list, func(g *group) bool { return g.key == key }, fresh)
		g.all.Join(d)
		g.host[d.Run.Host.Name] = true
		g.Points, g.Rows, g.Hosts = g.Points+1, len(g.all.Rows), len(g.host)
	}
	return list, nil
}

var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// fileName is the device's model; from the second group of a model on, with a number and the script.
func fileName(g *group, before []*group) string {
	name := slug(g.Model)
	same := slices.DeleteFunc(slices.Clone(before), func(other *group) bool { return slug(other.Model) != name })
	if len(same) == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d-%s", name, len(same)+1, slug(strings.TrimSuffix(g.Script, ".lua")))
}

func slug(text string) string {
	return strings.Trim(unfit.ReplaceAllString(strings.ToLower(text), "-"), "-")
}

// Status is the progress of a sweep.
type Status struct {
	Points  int           `json:"points"`
	Done    int           `json:"done"`
	Missing int           `json:"missing"` // the failed ones among them
	Failed  []Failure     `json:"failed"`
	Each    time.Duration `json:"each_nanoseconds"` // that a point took on average; 0 if none is done
}

// Failure is a point that failed, and is tried again when the sweep goes on.
type Failure struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Left is about how long one worker takes for the rest; 0 if that is unknown.
func (s Status) Left() time.Duration { return time.Duration(s.Missing) * s.Each }

// Status reads how far the sweep is.
func (s Sweep) Status() (status Status, err error) {
	missing, err := s.Missing()
	if err != nil {
		return status, err
	}
	status = Status{Points: len(s.Points), Done: len(s.Points) - len(missing), Missing: len(missing), Failed: []Failure{}}
	failed, err := s.names(failures, ".txt")
	if err != nil {
		return status, err
	}
	for _, p := range missing {
		if !failed[p.Name] {
			continue
		}
		why, err := regular.Read(s.failure(p.Name), regular.Text)
		if err != nil {
			return status, err
		}
		status.Failed = append(status.Failed, Failure{p.Name, strings.TrimSpace(string(why))})
	}
	status.Each, err = s.Each()
	return status, err
}

// asked is the number of finished points whose times are read.
const asked = 100

// Each is the average time of the finished points; 0 if there are none.
func (s Sweep) Each() (time.Duration, error) {
	done, err := s.Done()
	if err != nil || len(done) == 0 {
		return 0, err
	}
	var sum time.Duration
	every, n := max(1, len(done)/asked), 0
	for i := 0; i < len(done); i += every {
		d, err := s.Read(done[i])
		if err != nil {
			return 0, err
		}
		sum, n = sum+d.End.Finished.Sub(d.Run.Started), n+1
	}
	return sum / time.Duration(n), nil
}

const maxRun = 1 << 30 // bytes of the results of a point

// Read returns the results of a point that is done.
func (f Folder) Read(p Ref) (results.Document, error) {
	text, err := regular.Read(f.run(p.Name), maxRun)
	if err != nil {
		return results.Document{}, err
	}
	d, err := results.Read(text)
	if err != nil {
		err = session.Wrong(fmt.Errorf("%s: %w; hint: remove the file, and run the sweep again", f.run(p.Name), err))
	}
	return d, err
}
