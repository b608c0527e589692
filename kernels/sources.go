package kernels

import (
	"embed"
	"strings"
)

// Headers are the headers of this folder, for compiling kernels without a checkout.
//
//go:embed *.h
var Headers embed.FS

//go:embed flags.txt
var flagsText string

// Flags returns the words of a line of flags.txt.
func Flags(name string) []string {
	for line := range strings.Lines(flagsText) {
		if words := strings.Fields(line); len(words) > 0 && words[0] == name {
			return words[1:]
		}
	}
	return nil
}
