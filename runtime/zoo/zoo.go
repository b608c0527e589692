// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.

// Package zoo links the schemes that ship, and their kernels for GPUs, into a program.
package zoo

import (
	_ "github.com/hashzoo/hashzoo/kernels/ptx"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	onecht "github.com/hashzoo/hashzoo/schemes/1cht"
	bcht "github.com/hashzoo/hashzoo/schemes/bcht"
	bp2ht "github.com/hashzoo/hashzoo/schemes/bp2ht"
	chained "github.com/hashzoo/hashzoo/schemes/chained"
	chainedhost "github.com/hashzoo/hashzoo/schemes/chained/host"
	clstash "github.com/hashzoo/hashzoo/schemes/clstash"
	clstashhost "github.com/hashzoo/hashzoo/schemes/clstash/host"
	double "github.com/hashzoo/hashzoo/schemes/double"
	dycuckoo "github.com/hashzoo/hashzoo/schemes/dycuckoo"
	dycuckoohost "github.com/hashzoo/hashzoo/schemes/dycuckoo/host"
	fks "github.com/hashzoo/hashzoo/schemes/fks"
	fkshost "github.com/hashzoo/hashzoo/schemes/fks/host"
	iht "github.com/hashzoo/hashzoo/schemes/iht"
	linear "github.com/hashzoo/hashzoo/schemes/linear"
	megakv "github.com/hashzoo/hashzoo/schemes/megakv"
	slab "github.com/hashzoo/hashzoo/schemes/slab"
	slabhost "github.com/hashzoo/hashzoo/schemes/slab/host"
	stash "github.com/hashzoo/hashzoo/schemes/stash"
)

func init() {
	manifest.Ship("1cht", onecht.Folder, manifest.Functions{})
	manifest.Ship("bcht", bcht.Folder, manifest.Functions{})
	manifest.Ship("bp2ht", bp2ht.Folder, manifest.Functions{})
	manifest.Ship("chained", chained.Folder, chainedhost.Functions)
	manifest.Ship("clstash", clstash.Folder, clstashhost.Functions)
	manifest.Ship("double", double.Folder, manifest.Functions{})
	manifest.Ship("dycuckoo", dycuckoo.Folder, dycuckoohost.Functions)
	manifest.Ship("fks", fks.Folder, fkshost.Functions)
	manifest.Ship("iht", iht.Folder, manifest.Functions{})
	manifest.Ship("linear", linear.Folder, manifest.Functions{})
	manifest.Ship("megakv", megakv.Folder, manifest.Functions{})
	manifest.Ship("slab", slab.Folder, slabhost.Functions)
	manifest.Ship("stash", stash.Folder, manifest.Functions{})
}
