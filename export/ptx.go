package export

import (
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
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
		modules, err := kernels.Modules(e.kernels(pair))
		if err != nil {
			return err
		}
		for _, m := range modules {
			e.p.PTX[pair.String()+"_"+m.File] = m.Text
		}
	}
	return nil
}

// kernels are those that tables of a pair launch.
func (e *exporter) kernels(pair schemes.Pair) []kernels.PTX {
	var list []kernels.PTX
	for _, op := range e.c.Launched() {
		if k, ok := kernels.FindPTX(e.c.Kernel(pair, op, false)); ok {
			list = append(list, k)
		}
	}
	return list
}
