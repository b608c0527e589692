package export

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// ofClang are builtins that nvcc lacks on a GPU, and ofBoth those that it has.
var (
	ofClang = regexp.MustCompile(`\b__(nvvm|atomic|sync|builtin)_[a-z0-9_]+`)
	ofBoth  = map[string]bool{"__builtin_bit_cast": true, "__builtin_memcpy": true, "__builtin_assume_aligned": true}
)

// nvcc.h defines every builtin of clang that kernels for GPUs call, and nvcc_end.h forgets it.
func TestNvccHasEveryBuiltin(t *testing.T) {
	begin, end := part(t, "nvcc"), part(t, "nvcc_end")
	for _, folder := range []fs.FS{kernels.Headers, os.DirFS("../schemes")} {
		must.OK(t, fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".h") || strings.Contains(path, "_cpu") {
				return err
			}
			text, err := fs.ReadFile(folder, path)
			for _, name := range ofClang.FindAllString(string(text), -1) {
				defined := regexp.MustCompile("#define "+name+`\b`).MatchString(begin) && strings.Contains(end, "#undef "+name+"\n")
				must.Hold(t, defined || ofBoth[name], "%s calls %s, which nvcc.h does not define", path, name)
			}
			return err
		}))
	}
}

func part(t *testing.T, name string) string {
	t.Helper()
	text := must.Get(files.ReadFile("files/runtime/" + name + ".h"))(t)
	return string(text)
}
