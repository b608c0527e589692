package manifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// launched returns the operations that have a kernel in a variant, whatever its other
// parameters are.
func (d *Declaration) launched(variant schemes.Config) []string {
	never := d.never(variant)
	variant.Caps = d.Scheme.Caps
	return schemes.Except(variant.Launched(), never)
}

// KernelNames returns the names of all kernels that the manifest asks for.
func (d *Declaration) KernelNames() []string {
	var names []string
	for _, c := range d.Scheme.Variants() {
		for _, pair := range d.Scheme.Caps.Pairs {
			for _, op := range d.launched(c) {
				names = append(names, c.Kernel(pair, op, false), c.Kernel(pair, op, true))
			}
			for _, look := range d.looks() {
				names = append(names, c.Kernel(pair, look, false))
			}
		}
	}
	return names
}

// args returns the parameters that kernels read, in order.
func (d *Declaration) args() []string {
	var names []string
	for _, p := range d.Scheme.Params {
		if p.Role == schemes.Arg {
			names = append(names, p.Name)
		}
	}
	return names
}

// Source returns the C++ source that instantiates all kernels from the header. With
// lines, a compiler reports errors in the class at the line of the manifest that names
// it.
func (d *Declaration) Source(lines bool) string {
	var s strings.Builder
	header := d.Name + ".h"
	line := func(int) string { return "" }
	if lines {
		header = d.path(header)
		line = func(at int) string { return fmt.Sprintf("#line %d %q\n", at, d.file) }
	}
	fmt.Fprintf(&s, "#include %q\n\n#include \"kernel.h\"\n\n", header)
	fmt.Fprintf(&s, "HZ_ARGS(%q, %q)\n", d.Name, strings.Join(d.args(), " "))
	for _, k := range d.Kernels {
		fmt.Fprintf(&s, "HZ_OWN_OP(%s)\n", k)
	}
	for _, c := range d.Scheme.Variants() {
		class := "of_" + c.Variant()
		fmt.Fprintf(&s, "\n%stemplate <class P> using %s = hz::%s<%s>;\n", line(d.lines["class"]), class, d.Class, strings.Join(d.arguments(c), ", "))
		for _, pair := range d.Scheme.Caps.Pairs {
			fmt.Fprintf(&s, "%s%s\n", line(d.lines["class"]), d.instances(c, class, pair))
			for _, look := range d.looks() {
				fmt.Fprintf(&s, "%s%s\n", line(d.lookLine(look)), lookAt(c, class, pair, look))
			}
		}
	}
	return s.String()
}

// arguments returns the arguments of the class template.
func (d *Declaration) arguments(c schemes.Config) []string {
	list := []string{"P"}
	for i, p := range d.Scheme.Params {
		if p.Role != schemes.Variant {
			continue
		}
		value := p.Text(c.Get(p.Name))
		if p.Words != nil {
			value = "hz::" + d.Params[i].Enum + "::" + value
		}
		list = append(list, value)
	}
	return list
}

// instances returns the code for a variant's kernels for one kind of pair.
func (d *Declaration) instances(c schemes.Config, class string, pair schemes.Pair) string {
	what := fmt.Sprintf("%s, %s, %s, %s", c.Variant(), class, pair, strings.Join(d.launched(c), ", "))
	if pair == schemes.Pair8 && d.Can.WideAtomics { // older GPUs lack the atomics that its pairs need (kernel.h)
		return "HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(" + what + ")))"
	}
	return "HZ_KERNELS_FOR(" + what + ")"
}

// lookAt returns the code for the kernel of a look, with the operations' kernels.
func lookAt(c schemes.Config, class string, pair schemes.Pair, look string) string {
	where := "HZ_PAIR4"
	if pair == schemes.Pair8 {
		where = "HZ_PAIR8"
	}
	return fmt.Sprintf("%s(HZ_KERNEL(%s, %s<hz::%s>::%s))", where, c.Kernel(pair, look, false), class, pair, look)
}

// lookLine returns the line of the first gauge that names a look.
func (d *Declaration) lookLine(look string) int {
	i := slices.IndexFunc(d.Own, func(g *gauge) bool { return g.Look == look })
	return d.lines["gauge."+d.Own[i].Name+".look"]
}

// Lacking returns an error if a library has other kernels than the manifest asks for.
func (d *Declaration) Lacking(l kernels.Library) error {
	have, want := l.Names(), d.KernelNames()
	for _, name := range want {
		if !slices.Contains(have, name) {
			return fmt.Errorf("it lacks the kernel %s, which %s asks for", name, File)
		}
	}
	for _, name := range have {
		if !slices.Contains(want, name) {
			return fmt.Errorf("it has the kernel %s, which %s does not ask for", name, File)
		}
	}
	if args, ok := l.Args(d.Name); !ok || !slices.Equal(args, d.args()) {
		return fmt.Errorf("its kernels read the arguments %v, and %s has %v", args, File, d.args())
	}
	return nil
}
