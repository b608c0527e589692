package session

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Catalog lists the scripts and devices that a user can choose.
type Catalog struct {
	Scripts []Offer
	Devices []device.Info
	Default Choice
}

// Offer is a script that ships or is in the current folder, or a recording there.
type Offer struct {
	Name, Title string
	Options     []Option // and axes
	Err         error    // why it cannot be run, if so
}

// Option is something to choose about a script.
type Option struct {
	Name, Default, Help string
	Axis                bool
	Check               func(value string) error // what is wrong with a value; nil: unknown
}

// Host starts runs one after the other, from the same request with different choices, and keeps the last ones.
type Host struct {
	request Request
	ctx     context.Context
	runs    []Run
}

// Run is a run of a host. Its results stay when it has ended.
type Run struct {
	Number int // the first is 1
	Choice
	Steered
}

// Steered is a run that a user watches and steers: a Watched.
type Steered interface {
	Begin() // is called when the screen is set up, which would disturb the first batches
	Snapshot(live.View) *live.Snapshot
	Pause(on bool)
	Stop()
	Speed(factor float64) error
	Skip(phases int) error
	Record(path string) error
	Save() (path string, err error)
	Results() results.Document // so far
}

// Kept is the number of runs that a host keeps besides the current one. A run takes about a megabyte for each scheme (0.9 MB with three operations).
const Kept = 8

// NewHost makes a host. Its sessions end with the context.
func NewHost(ctx context.Context, r Request) *Host { return &Host{request: r, ctx: ctx} }

// next is the request of the next run, with the files that it writes: from the second run on, new ones.
func (h *Host) next(c Choice) (r Request, written []string) {
	r = h.request
	if len(h.runs) > 0 {
		r, written = r.Apart()
		r.Sort = "" // the choice may have other columns
	}
	r.Choice = c
	return r, written
}

// Check says what is wrong with a choice, as far as that shows without running it.
func (h *Host) Check(c Choice) error {
	r, _ := h.next(c)
	return r.Check(h.ctx)
}

// Start opens a session, after the last one has ended.
func (h *Host) Start(c Choice) (Steered, error) {
	r, written := h.next(c)
	w, err := r.Watch(h.ctx)
	if err != nil {
		return nil, err
	}
	if written != nil {
		w.log("this run is written to " + strings.Join(written, ", "))
	}
	number := 1 + lists.Max(h.runs, func(r Run) int { return r.Number })
	h.runs = append(slices.Clone(h.runs[max(0, len(h.runs)-Kept):]), Run{number, c, w})
	return w, nil
}

// Runs returns the runs that are kept, the oldest first. Only the last one may go on.
func (h *Host) Runs() []Run { return h.runs }

// Catalog lists what can be chosen.
func (h *Host) Catalog() Catalog {
	c := Catalog{Default: h.request.Choice}
	c.Devices = slices.Concat(lists.Map(devices.List(), func(found devices.Found) []device.Info { return found.Devices })...)
	here, _ := filepath.Glob("*")
	here = slices.DeleteFunc(here, func(name string) bool { return filepath.Ext(name) != ".lua" && !record.Is(name) })
	c.Scripts = lists.Map(slices.Concat(scripts.Names(), here), h.request.offer)
	return c
}

func (r Request) offer(name string) Offer {
	if record.Is(name) {
		recording, err := record.Open(name, r.Partial)
		if err != nil {
			return Offer{Name: name, Err: err}
		}
		defer recording.Close()
		return Offer{Name: name, Title: recording.Title()}
	}
	script, err := Script(name, r.Limits)
	if err != nil {
		return Offer{Name: name, Err: err}
	}
	offer := Offer{Name: name, Title: script.Title}
	for _, o := range script.Options {
		check := func(value string) error { _, err := o.Parse(value); return err }
		offer.Options = append(offer.Options, Option{Name: o.Name, Default: run.Text(o.Default), Help: o.Help, Check: check})
	}
	for _, a := range script.Axes {
		values := lists.Map(a.Values, run.Text)
		check := func(value string) error {
			_, err := run.Override([]run.Axis{a}, []string{a.Name + "=" + value})
			return err
		}
		offer.Options = append(offer.Options, Option{a.Name, strings.Join(values, ","), "axis", true, check})
	}
	return offer
}
