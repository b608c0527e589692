package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/tui"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// host is what the terminal interface has of the program.
type host struct {
	template *session // of which each run's is a copy
	ctx      context.Context

	mutex sync.Mutex
	last  *watched // the run that was started last
}

// Catalog is what there is to choose from.
func (h *host) Catalog() tui.Catalog {
	s := h.template
	c := tui.Catalog{Default: s.choice("")}
	if list, err := schemeList(s.schemes); err == nil && s.schemes != nil {
		c.Default.Schemes = nil
		for _, config := range list {
			c.Default.Schemes = append(c.Default.Schemes, config.String())
		}
	}
	for _, found := range devices.List() {
		for _, d := range found.Devices {
			c.Devices = append(c.Devices, tui.Device{Name: d.Name, Model: d.Model})
		}
	}
	for _, shipped := range scripts.All() {
		c.Scripts = append(c.Scripts, s.offered(shipped.Name))
	}
	for _, name := range here() {
		c.Scripts = append(c.Scripts, s.offered(name))
	}
	return c
}

// here is the scripts and recordings in the current folder.
func here() []string {
	list, _ := filepath.Glob("*.lua")
	files, _ := filepath.Glob("*")
	for _, name := range files {
		if record.Is(name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// offered is a script or recording with what can be chosen about it.
func (s *session) offered(name string) tui.Script {
	if record.Is(name) {
		r, err := record.Open(name, s.partial)
		if err != nil {
			return tui.Script{Name: name, Err: err}
		}
		defer r.Close()
		return tui.Script{Name: name, Title: r.Title()}
	}
	script, err := loadScript(name, s.Settings.Lua)
	if err != nil {
		return tui.Script{Name: name, Err: err}
	}
	offer := tui.Script{Name: name, Title: script.Title}
	for _, o := range script.Options {
		offer.Options = append(offer.Options, tui.Option{Name: o.Name, Default: run.Text(o.Default), Help: o.Help})
	}
	for _, a := range script.Axes {
		var values []string
		for _, v := range a.Values {
			values = append(values, run.Text(v))
		}
		offer.Options = append(offer.Options, tui.Option{Name: a.Name, Default: strings.Join(values, ","), Help: "axis", Axis: true})
	}
	return offer
}

// Start starts a run.
func (h *host) Start(c tui.Choice) (tui.Session, error) {
	s, err := h.session(c)
	if err != nil {
		return nil, err
	}
	written := h.apart(s)
	ctx, stop := context.WithCancel(h.ctx)
	j, err := s.anyJob(ctx, c)
	if err == nil {
		j.plan.LeaveOut = true
		err = s.begin(j)
	}
	if err != nil {
		stop()
		return nil, err
	}
	w := newWatched(s, h.ctx, stop)
	if len(written) > 0 {
		w.live.Load().Command("this run is written to " + strings.Join(written, ", "))
	}
	h.mutex.Lock()
	h.last = w
	h.mutex.Unlock()
	go w.carryOut(ctx)
	return w, nil
}

// apart gives what a run writes other names than what the runs before it have written, and
// returns those.
func (h *host) apart(s *session) (written []string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, path := range []*string{&s.json, &s.ndjson, &s.record} {
		if h.last != nil && *path != "" {
			*path = tui.Unused(*path)
			written = append(written, *path)
		}
	}
	return written
}

// session is a copy of the template, with what the choice says of settings.
func (h *host) session(c tui.Choice) (*session, error) {
	s, env, in := *h.template, *h.template.Env, *h.template.Settings
	s.Env, s.output.env, env.Settings = &env, &env, &in
	in.From = map[string]string{}
	for key, from := range h.template.Settings.From {
		in.From[key] = from
	}
	for key, value := range map[string]string{"device": c.Device, "seed": fmt.Sprint(c.Seed)} {
		if in.Text(key) == value {
			continue
		}
		if err := in.Set(settings.Find(key), value, "tui"); err != nil {
			return nil, fmt.Errorf("%s %w", key, err)
		}
	}
	return &s, nil
}

// patience is how long a batch may go on after the interface is closed until it is said
// what is waited for.
const patience = 300 * time.Millisecond

// finish waits for the last run, and prints what came of it.
func (h *host) finish() error {
	h.mutex.Lock()
	w := h.last
	h.mutex.Unlock()
	if w == nil {
		return nil
	}
	w.stop()
	select {
	case <-w.done:
	case <-time.After(patience):
		fmt.Fprintln(h.template.Env.Err, "stopping after this batch; interrupt to stop at once")
		<-w.done
	}
	err := errors.Join(w.failure, w.print(w.failure))
	if w.left && w.table() {
		fmt.Fprintln(w.Env.Out, "stopped: the results end with what was measured until then")
	}
	return err
}
