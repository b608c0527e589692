package record

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// What a session asks about a recording before it replays it.

// Coordinates are the points of the recording on the script's axes.
func (r *Recording) Coordinates() (list []run.Point) {
	for _, p := range r.Points {
		list = append(list, p.At)
	}
	return list
}

// Axes are the axes of the points, with all of their values.
func (r *Recording) Axes() (list []run.Axis) {
	for _, p := range r.Points {
		for _, c := range p.At {
			at := slices.IndexFunc(list, func(a run.Axis) bool { return a.Name == c.Name })
			if at < 0 {
				at, list = len(list), append(list, run.Axis{Name: c.Name})
			}
			if !slices.Contains(list[at].Values, c.Value) {
				list[at].Values = append(list[at].Values, c.Value)
			}
		}
	}
	return list
}

// Schemes are those of the run, each once. Parameters that points recorded are left to
// them.
func (r *Recording) Schemes() (list []schemes.Config, err error) {
	for _, p := range r.Points {
		for _, scheme := range p.schemes() {
			config, err := schemes.Parse(scheme)
			if err != nil {
				return nil, err
			}
			if p.settings(config.Name) != "" {
				config = config.Scheme.Defaults()
			}
			if !slices.ContainsFunc(list, func(c schemes.Config) bool { return c.String() == config.String() }) {
				list = append(list, config)
			}
		}
	}
	return list, nil
}

// settings are the parameters of a scheme at a point, if the point has it once.
func (p *Point) settings(name string) string {
	var all []string
	for _, scheme := range p.schemes() {
		if is, settings, _ := strings.Cut(scheme, ":"); is == name {
			all = append(all, settings)
		}
	}
	if len(all) != 1 {
		return ""
	}
	return all[0]
}

// Plugins names the schemes that were recorded from other plugins than are loaded now.
func (r *Recording) Plugins() (list []string) {
	for _, p := range r.Points {
		for _, was := range p.Plugins {
			s, err := schemes.Find(was.Name)
			if err != nil || s.PluginHash() == was.Hash {
				continue
			}
			text := fmt.Sprintf("scheme %s was recorded from the plugin %s, and is from %s now", was.Name, was.Hash, cmp.Or(s.PluginHash(), "the program"))
			if !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

// Provenance has the options of the script, for results.
func (r *Recording) Provenance() map[string]string {
	options := map[string]string{}
	for _, o := range r.Options {
		options[o.Name] = o.Value
	}
	return options
}

// Title describes the recording in a line.
func (r *Recording) Title() string {
	text := strconv.FormatUint(r.batches, 10) + " batches"
	if r.Script.Name != "" {
		text += " of " + r.Script.Name
	}
	if missing := r.Missing(); missing != "" {
		text += "; " + missing
	}
	return text
}
