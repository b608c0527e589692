package kernels

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// cgo's flags are in a comment of library.go and must equal those of flags.txt. Only
// -Werror is specific to this repository.
func TestHostFlagsMatchPluginFlags(t *testing.T) {
	source := must.Get(os.ReadFile("library.go"))(t)
	for name, tag := range map[string]string{"host": "", "amd64": "amd64 ", "arm64": "arm64 "} {
		found := regexp.MustCompile("(?m)^#cgo " + tag + "CXXFLAGS: (.*)$").FindSubmatch(source)
		must.Need(t, found != nil, "library.go has no flags for %q", tag)
		cgo := slices.DeleteFunc(strings.Fields(string(found[1])), func(flag string) bool { return flag == "-Werror" })
		have := Flags(name)
		must.Hold(t, slices.Equal(have, cgo), "flags.txt has %v for %s, library.go %v", have, name, cgo)
	}
	must.Hold(t, Flags("nothing") == nil, "Flags returned words for an unknown name")
}
