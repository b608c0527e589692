package session

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/record"
)

// Choice is what a user chooses for each run, on the command line or in a form.
type Choice struct {
	Script  string   // or a recording
	Schemes []string // each as on the command line; none: all that can
	Device  string
	Seed    uint64
	Set     []string // name=value
	Axis    []string // name=values
}

// Request is everything that a run depends on.
type Request struct {
	Choice
	Threads  int
	Limits   lua.Limits
	Policy   engine.Policy
	Timeout  time.Duration     // of a batch
	Settings map[string]string // all settings in force, for the results

	Count     *bool // whether to use instrumented kernels, too; nil: if the script says so
	Verify    bool  // check all batches against an oracle
	KeepGoing bool  // put schemes aside that fail, and go on with the others
	LeaveOut  bool  // leave out schemes that lack something even if they were named
	Gauges    bool  // read the gauges at the end of each phase

	Recording    string // the recording to write
	Materialise  bool   // record numbers, not only expressions
	JSON, NDJSON string // results to write; - is Out
	Out          io.Writer
	Row          func(results.Row) results.Row // how rows are written; nil: as they are

	Pace    record.Pace // of a replay
	Figures bool        // compare inputs and counts only
	Partial bool        // replay what there is of a recording that is cut off
}

// Apart returns the request with unused names for the files that it writes, and these.
func (r Request) Apart() (Request, []string) {
	var written []string
	for _, path := range []*string{&r.JSON, &r.NDJSON, &r.Recording} {
		if *path != "" {
			*path = Unused(*path)
			written = append(written, *path)
		}
	}
	return r, written
}

// Unused returns the path, with a number in it if the file exists.
func Unused(path string) string {
	extension := filepath.Ext(path)
	stem := strings.TrimSuffix(path, extension)
	for i := 2; ; i++ {
		if _, err := os.Lstat(path); err != nil {
			return path
		}
		path = fmt.Sprintf("%s-%d%s", stem, i, extension)
	}
}

// Provenance is what is needed to repeat a run that starts now.
func Provenance(dev device.Device, seed uint64, settings map[string]string) results.Run {
	return results.Run{
		Command: os.Args, Started: time.Now(), Seed: seed, Settings: settings, Device: dev.Info(),
		Host: results.ThisHost(), Build: results.ThisBuild(), Plugins: schemes.Plugins(),
	}
}

func (s *Session) provenance() results.Run {
	settings := maps.Clone(s.Settings)
	settings["device"], settings["seed"] = s.Device, fmt.Sprint(s.plan.Seed)
	about := Provenance(s.dev, s.plan.Seed, settings)
	about.Script = &s.source
	return about
}
