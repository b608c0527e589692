package manifest

import (
	"strings"
)

// retell rewrites vectors for a scheme of another name, and without the tables whose settings
// are not kept. Lines keep their numbers, which errors name.
func retell(text, name string, keep func(settings string) bool) string {
	lines := strings.Split(text, "\n")
	kept, any := true, false
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) > 1 && words[0] == "table" {
			old, settings, _ := strings.Cut(words[1], ":")
			kept = keep(settings)
			any = any || kept
			line = strings.Replace(line, old, name, 1)
		}
		if !kept {
			line = ""
		}
		lines[i] = line
	}
	if !any {
		return ""
	}
	return strings.Join(lines, "\n")
}
