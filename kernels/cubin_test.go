package kernels

import (
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// A ptxas that says which GPU it was asked for, and knows no sm_80 if OLD is set.
const standIn = `#!/bin/sh
case "$OLD $1" in 1*sm_80) echo "ptxas fatal: no sm_80" >&2; exit 1 ;; esac
{ printf '%s ' "$1"; cat "$4"; } >"$3"
`

// What tools/cubin.sh makes is found again for the GPUs on which it runs, as long as the PTX is the same.
func TestCubins(t *testing.T) {
	dir := t.TempDir()
	script, err := os.ReadFile("../tools/cubin.sh")
	write := func(name string, text []byte, err error) {
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, text, 0o755)
		}
		must.OK(t, err)
	}
	write("tools/cubin.sh", script, err)
	write("bin/ptxas", []byte(standIn), nil)
	write("kernels/small.cc", nil, nil)
	write("kernels/ptx/small.sm_70.ptx.gz", packedPTX(t, smallPTX), nil)
	build := func(env ...string) {
		command := bounded.Command(t, filepath.Join(dir, "tools/cubin.sh"))
		command.Env = append(append(os.Environ(), "CUDA_HOME="+dir), env...)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	ready := func(gpu int) string {
		index := must.Get(indexPTX(os.DirFS(filepath.Join(dir, "kernels/ptx"))))(t)
		modules := must.Get(Modules([]PTX{index["first"]}))(t)
		return modules[0].Ready(gpu)
	}
	expect := func(what string, want map[int]string) {
		t.Helper()
		for gpu, flag := range want {
			code := ready(gpu)
			if flag == "" && code != "" || !strings.HasPrefix(code, flag) || code != "" && !strings.Contains(code, ".visible .entry first(") {
				t.Errorf("%s: for sm_%d %.30q, want %q and the PTX", what, gpu, code, flag)
			}
		}
	}
	build("OLD=1")
	expect("an old ptxas", map[int]string{80: "", 90: "-arch=sm_90 "})
	build()
	expect("built", map[int]string{75: "", 80: "-arch=sm_80 ", 86: "-arch=sm_80 ", 90: "-arch=sm_90 ", 100: ""})

	write("kernels/ptx/small.sm_70.ptx.gz", packedPTX(t, smallPTX+"\n"), nil)
	expect("other PTX", map[int]string{80: "", 90: ""})
	build()
	expect("built again", map[int]string{90: "-arch=sm_90 "})
	list, _ := filepath.Glob(filepath.Join(dir, "kernels/ptx/*"))
	must.Hold(t, len(list) == 3, "%q are left, want the PTX and two of it", list)
	must.OK(t, os.Remove(filepath.Join(dir, "bin/ptxas")))
	if _, err := exec.LookPath("ptxas"); err != nil {
		build()
		expect("without ptxas", map[int]string{90: ""})
	}
}

// packedPTX packs PTX as tools/ptx.sh does: the names of its kernels, then the rest.
func packedPTX(t *testing.T, text string) []byte {
	t.Helper()
	var packed strings.Builder
	for _, part := range []string{"// first\n// first_and_more\n", text} {
		w := gzip.NewWriter(&packed)
		_, err := w.Write([]byte(part))
		must.Need(t, err == nil, "%v", err)
		must.OK(t, w.Close())
	}
	return []byte(packed.String())
}
