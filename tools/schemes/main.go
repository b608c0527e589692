// Command schemes writes what follows from the manifests under schemes/: run it by go generate ./schemes.
package main

import (
	"fmt"
	"os"

	"github.com/hashzoo/hashzoo/runtime/manifest"
)

func main() {
	files, err := manifest.Generate("..")
	if err == nil {
		var written []string
		written, err = manifest.Write("..", files)
		for _, path := range written {
			fmt.Println(path)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
