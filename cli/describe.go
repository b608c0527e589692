package cli

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// schemeInfo describes a scheme, as `schemes --json` prints it.
type schemeInfo struct {
	Name       string        `json:"name"`
	Title      string        `json:"title"`
	About      string        `json:"about"`
	Paper      string        `json:"paper"`
	Params     []paramInfo   `json:"parameters"`
	Operations []string      `json:"operations"`
	Mixed      string        `json:"mixed"`
	Pairs      []string      `json:"pairs"`
	Stable     bool          `json:"stable"`
	MovesWith  []string      `json:"moves_with,omitempty"`
	HostMemory bool          `json:"host_memory"`
	Duplicates bool          `json:"duplicates"`
	MaxLoad    float64       `json:"max_load"`
	Gauges     []gaugeInfo   `json:"gauges"`
	Variants   []variantInfo `json:"variants"`
}

type paramInfo struct {
	Name    string `json:"name"`
	Allowed string `json:"allowed"`
	Default string `json:"default"`
	Help    string `json:"help"`
}

type gaugeInfo struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	Help string `json:"help"`
}

// variantInfo lists the devices that a compiled variant runs on.
type variantInfo struct {
	Name string `json:"name"`
	Pair string `json:"pair"`
	CPU  bool   `json:"cpu"`
	CUDA string `json:"cuda"` // the oldest GPUs; empty: not in this build
}

func describe(list ...*schemes.Scheme) (all []schemeInfo) {
	for _, s := range list {
		info := schemeInfo{
			Name: s.Name, Title: s.Title, About: s.About, Paper: s.Paper,
			Operations: s.Caps.Ops, Mixed: mixing(s.Caps), Stable: s.Caps.Stable, MovesWith: s.MovesWith(), HostMemory: s.Caps.HostMemory,
			Duplicates: s.Caps.Duplicates, MaxLoad: s.MaxLoad(s.Defaults()), Variants: variants(s),
		}
		for _, p := range s.Params {
			info.Params = append(info.Params, paramInfo{p.Name, p.Allowed(), p.Text(p.Default), p.Help})
		}
		for _, g := range s.Gauges {
			info.Gauges = append(info.Gauges, gaugeInfo{g.Name, g.Unit, g.Help})
		}
		for _, p := range s.Caps.Pairs {
			info.Pairs = append(info.Pairs, p.String())
		}
		all = append(all, info)
	}
	return all
}

// variants lists the compiled variants of a scheme: a subset of the combinations of the
// parameters that select kernels.
func variants(s *schemes.Scheme) []variantInfo {
	var list []variantInfo
	for _, c := range s.Variants() {
		for _, pair := range s.Caps.Pairs {
			v := variantInfo{c.Variant(), pair.String(), onCPU(c, pair), onCUDA(c, pair)}
			if v.CPU || v.CUDA != "" {
				list = append(list, v)
			}
		}
	}
	return list
}

func onCPU(c schemes.Config, pair schemes.Pair) bool {
	return !slices.ContainsFunc(c.Launched(), func(op string) bool {
		_, there := kernels.FindHost(c.Kernel(pair, op, false))
		return !there
	})
}

// onCUDA returns the oldest GPU that runs all kernels of the variant.
func onCUDA(c schemes.Config, pair schemes.Pair) string {
	oldest := 0
	for _, op := range c.Launched() {
		kernel, ok := kernels.FindPTX(c.Kernel(pair, op, false))
		if !ok {
			return ""
		}
		oldest = max(oldest, kernel.Arch)
	}
	return fmt.Sprintf("sm_%d", oldest)
}
