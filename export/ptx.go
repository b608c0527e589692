package export

import (
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// ptx takes the kernels for GPUs out of this program, for exports that choose the device at run time: a
// file for each pair, because the driver compiles a file as a whole.
func (e *exporter) ptx() error {
	if !e.p.Driver {
		return nil
	}
	if len(kernels.PTXNames()) == 0 {
		e.p.Lacks = append(e.p.Lacks, "kernels for GPUs (this hashzoo was built without them: install clang-19, run make, and export again)")
		return nil
	}
	e.p.PTX = map[string]string{}
	for _, pair := range e.p.CPairs {
		if err := e.add(pair.String()+"_", func(op string) string { return e.c.Kernel(pair, op, false) }, e.c.Launched()); err != nil {
			return err
		}
	}
	return e.add("", func(quoted string) string { return strings.Trim(quoted, `"`) }, e.shared)
}

// add adds kernels that the driver compiles together.
func (e *exporter) add(prefix string, name func(string) string, kernelsOf []string) error {
	names := lists.Map(kernelsOf, name)
	if err := kernels.Obtain(true, names...); err != nil {
		return err
	}
	var list []kernels.PTX
	for _, one := range names {
		if k, ok := kernels.FindPTX(one); ok {
			list = append(list, k)
		}
	}
	modules, err := kernels.Modules(list)
	for _, m := range modules {
		e.p.PTX[prefix+m.File] = m.Text
	}
	return err
}
