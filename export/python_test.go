package export

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Exported Python packages pass their tests, without a network, pip or setuptools: on the CPU and, three of them in the large
// tier, with a driver whose GPU is the CPU (testdata/libcuda.cc). The small tier leaves kernels to TestFolders.
func TestPython(t *testing.T) {
	some, tests := []string{"bcht", "csr", "linear"}, "test_[tr]*.py"
	list := some[1:] // linear can what bcht can
	if !testing.Short() {
		list, tests = schemes.Names(), "test*.py"
	}
	for _, s := range list {
		t.Run(s, func(t *testing.T) {
			t.Parallel()
			dir, _ := exported(t, s, pythonLang)
			env := []string{"PYTHON=" + python(t), "CXX=" + cxx, "CXXFLAGS=" + flags(), "TESTS=" + tests}
			run(t, dir, env, "\nOK\n", "make", "test")
			if !testing.Short() && slices.Contains(some, s) && len(kernels.PTXNames()) > 0 {
				onGPU(t, dir, s, env)
			}
		})
	}
}

func onGPU(t *testing.T, dir, scheme string, env []string) {
	gpu := driver(t, scheme)
	must.OK(t, os.Symlink(must.Get(filepath.Abs("testdata/cupy.py"))(t), filepath.Join(gpu, "cupy.py")))
	env = append(env, "LD_LIBRARY_PATH="+gpu, "PYTHONPATH=build:"+gpu, "TEST_WORK=70000")
	run(t, dir, env, "cupy on cuda:0", "sh", "-c", "$PYTHON -m unittest discover -s tests -p 'test_[tr]*.py'")
}

// python is one that has NumPy.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if bounded.Command(t, name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	t.Fatal("no Python with NumPy: apt-get install python3-numpy")
	return ""
}
