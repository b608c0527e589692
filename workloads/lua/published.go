package lua

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// published reads the numbers of a paper in the file NAME.published.csv beside the script, if it is there.
func (s *Script) published() ([]results.Published, error) {
	if s.folder == nil {
		return nil, nil
	}
	file := strings.TrimSuffix(filepath.Base(s.Name), ".lua") + results.PublishedExtension
	text, err := readSource(s.folder, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	list, err := results.ParsePublished(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	if err := s.checkPublished(list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return list, nil
}

// checkPublished refuses fields that no row has, and rates that no plot can show.
func (s *Script) checkPublished(list []results.Published) error {
	axes := lists.Map(s.Axes, func(a run.Axis) string { return a.Name })
	options := lists.Map(s.Options, func(o Option) string { return o.Name })
	known := slices.Concat(analysis.Fields, axes, options)
	for _, p := range list {
		for _, name := range slices.Sorted(maps.Keys(p.Of)) {
			if !slices.Contains(known, name) {
				return nearest.Unknown("column", name, append([]string{"column", "value", "unit"}, known...))
			}
		}
		if err := s.shows(p); err != nil {
			return err
		}
	}
	return nil
}

// shows checks that a plot shows the number. Those of another machine are shown as ratios.
func (s *Script) shows(p results.Published) error {
	given := false
	for _, plot := range s.Plots {
		if plot.Y != p.Column {
			continue
		}
		scheme, relative := p.Times()
		if !p.OfAMachine() && !relative || p.OfAMachine() && plot.Relative != nil || relative && plot.Relative["scheme"] == scheme {
			return nil
		}
		given = true
	}
	if given {
		return fmt.Errorf("%s in %s: a plot of it needs relative, as in relative = \"NAME\", the scheme to divide by", p.Column, p.Unit)
	}
	return fmt.Errorf("column %q: no plot of the script has it as y", p.Column)
}
