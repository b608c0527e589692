package manifest

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// reference is the kind of a scheme whose tables are a library's.
const reference = "reference"

// IsReference reports whether the tables are a library's.
func (m *Manifest) IsReference() bool { return m.Kind == reference }

// Linker returns the arguments that link the libraries.
func (m *Manifest) Linker() (flags []string) {
	for _, l := range m.Libraries {
		flags = append(flags, "-l"+l)
	}
	return append(flags, "-lstdc++")
}

// refer gives a reference what all of them have: their tables are made for n pairs, and their memory is the library's.
func (m *Manifest) refer() error {
	if !m.IsReference() {
		if len(m.Libraries) > 0 {
			return m.Wrong("libraries", "is given, and only schemes of kind reference are linked with libraries")
		}
		return nil
	}
	for key, given := range map[string]bool{
		"size.buckets": m.Size.Buckets != nil, "size.capacity": m.Size.Capacity != nil, "max_load": m.MaxLoad != nil,
		"kernels": m.Kernels != nil, "gauges": m.Gauges != nil || m.Own != nil, "can.host_memory": m.Can.HostMemory,
	} {
		if given {
			return m.Wrong(key, "is given, and a reference has none: its library decides")
		}
	}
	if len(m.Regions) > 0 {
		return m.Wrong("region."+m.Regions[0].Name+".bytes", "is given, and a reference has none: its library decides")
	}
	text := func(expression string) *Expr { return &Expr{text: expression} }
	m.Size.Buckets, m.Size.Capacity, m.MaxLoad, m.Kernels = text("n"), text("slots"), text("1"), host.ReferenceKernels
	m.Regions = []*region{
		{Name: host.ReferenceTable, Bytes: text("8")},
		{Name: host.ReferenceBooks, Bytes: text(fmt.Sprint(host.BooksBytes))},
	}
	return nil
}

// unsized refuses tables that are asked for by their memory.
func (m *Manifest) unsized(shape schemes.Shape) error {
	if !m.IsReference() || shape.Bytes == 0 {
		return nil
	}
	return &schemes.Lack{What: "no size in bytes, which its library decides",
		Text: fmt.Sprintf("scheme %s: its library decides how many bytes a table takes; hint: give n or capacity", m.Name)}
}

// register adds kernels in Go to the program's.
func (m *Manifest) register() {
	bodies := map[string]kernels.Body{}
	for _, c := range m.Scheme.Variants() {
		for _, pair := range c.Caps.Pairs {
			for _, op := range m.launched(c) {
				body := m.functions.Kernels(pair, op)
				bodies[c.Kernel(pair, op, false)], bodies[c.Kernel(pair, op, true)] = body, body
			}
		}
	}
	kernels.Add(kernels.InGo(bodies), nil)
}
