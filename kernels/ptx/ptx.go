// Package ptx carries the kernels for GPUs that tools/ptx.sh compiles into this folder. It is
// apart from package kernels, which the packages of schemes import: what they compile for
// CPUs does not depend on what is compiled for GPUs.
package ptx

import (
	"embed"

	"github.com/hashzoo/hashzoo/kernels"
)

//go:embed *
var files embed.FS

func init() { kernels.Embed(files) }
