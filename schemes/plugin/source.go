package plugin

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// launched are the operations that have a kernel in a variant: those on whole tables have
// a host side instead.
func (d *declaration) launched(variant schemes.Config) []string {
	ops := slices.Clone(d.ops)
	if len(d.concurrent) > 0 {
		ops = append(ops, schemes.MixOp)
	}
	none := append(d.never(variant), schemes.TableOps...)
	ops = slices.DeleteFunc(ops, func(op string) bool { return slices.Contains(none, op) })
	return append(ops, d.kernels...)
}

// kernelNames are those of all kernels that the manifest asks for.
func (d *declaration) kernelNames() []string {
	var names []string
	for _, c := range d.variants {
		for _, pair := range d.scheme.Caps.Pairs {
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

// args are the parameters that kernels read, in their order.
func (d *declaration) args() []string {
	var names []string
	for _, p := range d.scheme.Params {
		if p.Role == schemes.Arg {
			names = append(names, p.Name)
		}
	}
	return names
}

// source is the C++ that makes all kernels out of the header. What it says of the class,
// a compiler says of the line of the manifest that names it.
func (d *declaration) source() string {
	var s strings.Builder
	fmt.Fprintf(&s, "#include %q\n#include \"kernel.h\"\n\n", filepath.Join(filepath.Dir(d.file), d.name+".h"))
	fmt.Fprintf(&s, "HZ_ARGS(%q, %q)\n", d.name, strings.Join(d.args(), " "))
	for _, k := range d.kernels {
		fmt.Fprintf(&s, "HZ_OWN_OP(%s)\n", k)
	}
	for _, c := range d.variants {
		class := "of_" + c.Variant()
		fmt.Fprintf(&s, "#line %d %q\ntemplate <class P> using %s = hz::%s<%s>;\n",
			d.lines["class"], d.file, class, d.class, strings.Join(arguments(d, c), ", "))
		for _, pair := range d.scheme.Caps.Pairs {
			fmt.Fprintf(&s, "#line %d %q\n%s\n", d.lines["class"], d.file, instances(c.Variant(), class, pair, d.launched(c)))
			for _, look := range d.looks() {
				fmt.Fprintf(&s, "#line %d %q\n%s\n", d.lookLine(look), d.file, lookAt(c, class, pair, look))
			}
		}
	}
	return s.String() + "HZ_PLUGIN\n"
}

// arguments are those of the class template.
func arguments(d *declaration, c schemes.Config) []string {
	list := []string{"P"}
	for i, p := range d.scheme.Params {
		if p.Role != schemes.Variant {
			continue
		}
		value := p.Text(c.Get(p.Name))
		if p.Words != nil {
			value = "hz::" + d.params[i].enum + "::" + value
		}
		list = append(list, value)
	}
	return list
}

// instances makes the kernels of a variant for one kind of pair. Pairs of 8+8 bytes need
// atomics that older GPUs lack (kernel.h).
func instances(variant, class string, pair schemes.Pair, ops []string) string {
	what := fmt.Sprintf("%s, %s, %s, %s", variant, class, pair, strings.Join(ops, ", "))
	if pair == schemes.Pair8 {
		return "HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(" + what + ")))"
	}
	return "HZ_KERNELS_FOR(" + what + ")"
}

// lookAt makes the kernel of a look of the class, where those of its operations are.
func lookAt(c schemes.Config, class string, pair schemes.Pair, look string) string {
	where := "HZ_PAIR4"
	if pair == schemes.Pair8 {
		where = "HZ_PAIR8"
	}
	return fmt.Sprintf("%s(HZ_KERNEL(%s, %s<hz::%s>::%s))", where, c.Kernel(pair, look, false), class, pair, look)
}

// lookLine is the line of the first gauge that names a look.
func (d *declaration) lookLine(look string) int {
	i := slices.IndexFunc(d.gauges, func(g *gauge) bool { return g.look == look })
	return d.lines["gauge."+d.gauges[i].name+".look"]
}

// lacking is what of the kernels that the manifest asks for a library does not have, and
// what it has besides.
func (d *declaration) lacking(l kernels.Library) error {
	have, want := l.Names(), d.kernelNames()
	for _, name := range want {
		if !slices.Contains(have, name) {
			return fmt.Errorf("it lacks the kernel %s, which %s asks for", name, manifestFile)
		}
	}
	for _, name := range have {
		if !slices.Contains(want, name) {
			return fmt.Errorf("it has the kernel %s, which %s does not ask for", name, manifestFile)
		}
	}
	if args, ok := l.Args(d.name); !ok || !slices.Equal(args, d.args()) {
		return fmt.Errorf("its kernels read the arguments %v, and %s has %v", args, manifestFile, d.args())
	}
	return nil
}
