package plugin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
)

// headersFolder is where Headers puts the headers of hashzoo, in a plugin's folder.
const headersFolder = "hashzoo"

// Headers writes the headers that kernels are compiled with next to a plugin's sources, and a
// compile_commands.json, so that editors understand the plugin's header. Builds use neither.
func Headers(folder string) ([]string, error) {
	m, err := declare(folder, "")
	if err != nil {
		return nil, err
	}
	to := filepath.Join(folder, headersFolder)
	if err := os.RemoveAll(to); err != nil {
		return nil, err
	}
	if err := os.CopyFS(to, kernels.Headers); err != nil {
		return nil, err
	}
	at, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	header := m.Name + ".h"
	arguments := slices.Concat([]string{"clang++", "-x", "c++", "-I", headersFolder}, kernels.Flags("host"), kernels.Flags(runtime.GOARCH), []string{header})
	text, err := json.MarshalIndent([]map[string]any{{"directory": at, "file": header, "arguments": arguments}}, "", "  ")
	if err != nil {
		return nil, err
	}
	commands := filepath.Join(folder, "compile_commands.json")
	return []string{to, commands}, os.WriteFile(commands, append(text, '\n'), 0o644)
}
