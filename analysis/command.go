package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Repeating are the commands that take --processes.
var Repeating = []string{"run", "bench"}

// Command returns a command line without what says where its results go and how often it runs.
func Command(given []string) (words []string) {
	for i := 0; i < len(given); i++ {
		flag, _, joined := strings.Cut(given[i], "=")
		switch {
		case flag == "--materialise": // of --record
		case !slices.Contains([]string{"--json", "--ndjson", "--record", "--processes", "--baseline"}, flag):
			words = append(words, given[i])
		case !joined:
			i++
		}
	}
	return words
}

// Repeated returns the words of a command line that runs the same several times, quoted for a shell; repeats is false
// if the command cannot, so that they run it once.
func Repeated(given []string, times int) (words []string, repeats bool) {
	words = lists.Map(Command(given), Shell)
	if repeats = len(words) > 1 && slices.Contains(Repeating, words[1]); repeats && times > 1 {
		words = append(words, fmt.Sprintf("--processes %d", times))
	}
	return words, repeats
}

// Shell quotes a word of a command line where a shell would change it.
func Shell(word string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+%@", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
