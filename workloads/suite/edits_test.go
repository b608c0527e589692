package suite

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// planted are edits of a file that a verification must refuse, by what they change: digests, counts, parameters, the
// place of a row, rows of other runs, and what the file says of itself. Each is tried as it is, and with new digests
// unless it changes only what nobody can derive again.
func planted(other, twice results.Document) []edit {
	row := func(what string, do func(r *results.Row)) edit {
		return edit{what: what, do: func(_ *results.Document, r *results.Row) { do(r) }}
	}
	sealed := func(e edit) edit { e.sealed = true; return e }
	run := func(what string, do func(d *results.Document)) edit {
		return edit{what: what, do: func(d *results.Document, _ *results.Row) { do(d) }}
	}
	digit := func(digest string) string {
		return strings.Map(func(c rune) rune { return c ^ 1 }, digest[:1]) + digest[1:]
	}
	of := func(d results.Document, scheme, question string) results.Row {
		return d.Rows[slices.IndexFunc(d.Rows, func(r results.Row) bool { return r.Scheme == scheme && r.Point[Axis] == question })]
	}
	const seed, murmur = "a row of a run with another seed", "csr:hash=universal"
	return []edit{
		// Digests.
		row("a digit of the input digest", func(r *results.Row) { r.Input = digit(r.Input) }),
		row("no input digest", func(r *results.Row) { r.Input = "" }),
		row("a digit of the result digest", func(r *results.Row) { r.Result = digit(r.Result) }),
		sealed(row("no result digest", func(r *results.Row) { r.Result = "" })),
		row("the digests of the other way around", func(r *results.Row) { r.Input, r.Result = r.Result, r.Input }),
		row("other keys", func(r *results.Row) { r.Keys = strings.Replace(r.Keys, "count=1000", "count=999", 1) }),
		sealed(run("a digit of the digest of a row", func(d *results.Document) { d.End.Seals[3] = digit(d.End.Seals[3]) })),
		sealed(run("no digests of rows", func(d *results.Document) { d.End.Seals = d.End.Seals[len(d.Rows):] })),
		sealed(run("no digest of the whole", func(d *results.Document) { d.End.Seals = d.End.Seals[:len(d.Rows)] })),
		// Counts.
		row("more operations", func(r *results.Row) { r.N++ }),
		row("more operations, that found something", func(r *results.Row) { r.N++; r.Completed++; r.Counts["ok"]++ }),
		row("fewer completed", func(r *results.Row) { r.Completed-- }),
		row("one found less", func(r *results.Row) { r.Counts["ok"]-- }),
		row("one missing instead of found", func(r *results.Row) { r.Counts["ok"]--; r.Counts["missing"]++ }),
		row("one failed instead of found", func(r *results.Row) { r.Counts["ok"]--; r.Counts["failed"]++ }),
		row("one rejected instead of found", func(r *results.Row) { r.Counts["ok"]--; r.Counts["rejected"]++ }),
		row("one added", func(r *results.Row) { r.Counts["added"]++ }),
		row("values that were found", func(r *results.Row) { r.Counts["found"] = 7 }),
		row("no counts", func(r *results.Row) { r.Counts = nil }),
		row("another pair", func(r *results.Row) { r.Size++ }),
		row("another pair, with the figures of it", func(r *results.Row) {
			r.Size--
			each := float64(r.TableBytes) / float64(r.Size)
			r.Load, r.BytesPerPair = float64(r.Size)/float64(r.Capacity), &each
		}),
		row("another load factor", func(r *results.Row) { r.Load /= 2 }),
		row("fewer bytes per pair", func(r *results.Row) { each := *r.BytesPerPair / 2; r.BytesPerPair = &each }),
		row("fewer bytes, also per pair", func(r *results.Row) {
			r.TableBytes /= 2
			each := float64(r.TableBytes) / float64(r.Size)
			r.BytesPerPair = &each
		}),
		row("more slots, also in the load factor", func(r *results.Row) {
			r.Capacity *= 2
			r.Load = float64(r.Size) / float64(r.Capacity)
		}),
		// Parameters.
		row("a parameter", func(r *results.Row) { r.Parameters["keys"] = "16" }),
		row("a parameter in the name of the scheme", func(r *results.Row) { r.Scheme = "csr:keys=16" }),
		row("a parameter in both", func(r *results.Row) { r.Scheme, r.Parameters["keys"] = "csr:keys=16", "16" }),
		edit{what: "a parameter wherever it is", do: func(d *results.Document, _ *results.Row) {
			for i, r := range d.Rows {
				if r.Scheme == "csr" {
					d.Rows[i].Scheme, d.Rows[i].Parameters["keys"] = "csr:keys=16", "16"
				}
			}
			d.Run.Suite.Schemes[slices.Index(d.Run.Suite.Schemes, "csr")] = "csr:keys=16"
			for i, l := range d.LeftOut {
				if l.Scheme == "csr" {
					d.LeftOut[i].Scheme = "csr:keys=16"
				}
			}
		}},
		row("another scheme", func(r *results.Row) { r.Scheme = "bcht" }),
		row("that of a scheme with rows", func(r *results.Row) { r.Scheme = "linear" }),
		row("a plugin", func(r *results.Row) { r.Plugin = "0123456789abcdef" }),
		row("wider pairs", func(r *results.Row) { r.Pair = "k8v8" }),
		// Its place.
		row("another load in the point", func(r *results.Row) { r.Point["load"] = 0.5 }),
		row("another question", func(r *results.Row) { r.Point[Axis] = "misses" }),
		row("a question that is none", func(r *results.Row) { r.Point[Axis] = "hit" }),
		row("another phase", func(r *results.Row) { r.Phase = "find 0 %" }),
		row("another operation", func(r *results.Row) { r.Op = "insert" }),
		// Rows of other runs, and those that are gone.
		edit{what: seed, do: func(_ *results.Document, r *results.Row) { *r = of(other, "csr", "hits") }},
		edit{what: "a row of another question", do: func(d *results.Document, r *results.Row) {
			*r = of(*d, "csr", "misses")
			r.Point = maps.Clone(r.Point)
			r.Point[Axis] = "hits"
		}},
		sealed(edit{what: "the same row of an equal run", do: func(_ *results.Document, r *results.Row) { *r = of(twice, "csr", "hits") }}),
		edit{what: "a row of a scheme that was not asked", do: func(d *results.Document, _ *results.Row) { d.Rows = append(d.Rows, of(twice, murmur, "hits")) }},
		edit{what: "a row twice", do: func(d *results.Document, r *results.Row) { d.Rows = append(d.Rows, *r) }},
		edit{what: "a row less", do: func(d *results.Document, _ *results.Row) {
			d.Rows = slices.DeleteFunc(d.Rows, func(r results.Row) bool { return r.Scheme == "csr" && r.Point[Axis] == "hits" })
		}},
		edit{what: "a row that is left out, too", do: func(d *results.Document, r *results.Row) {
			d.LeftOut = append(d.LeftOut, results.LeftOut{Scheme: r.Scheme, Point: results.Point{Axis: "hits"}, Reason: "slow"})
		}},
		run("a reason less", func(d *results.Document) { d.LeftOut = d.LeftOut[1:] }),
		// What the file says of itself.
		run("another seed", func(d *results.Document) { d.Run.Seed = 2 }),
		run("larger sizes", func(d *results.Document) { d.Run.Suite.Scale = 1 }),
		run("another version", func(d *results.Document) { d.Run.Suite.Version = "suite/2" }),
		run("another scheme asked", func(d *results.Document) { d.Run.Suite.Schemes = append(d.Run.Suite.Schemes, "bcht") }),
		run("a scheme less asked", func(d *results.Document) { d.Run.Suite.Schemes = d.Run.Suite.Schemes[1:] }),
		run("a chosen scheme", func(d *results.Document) { d.Run.Suite.Questions[1].Chosen = []string{"csr:keys=16"} }),
		run("a question less", func(d *results.Document) { d.Run.Suite.Questions = d.Run.Suite.Questions[1:] }),
		run("no suite", func(d *results.Document) { d.Run.Suite = nil }),
		run("other generators", func(d *results.Document) { d.Run.Build.Generators++ }),
		run("a run that was interrupted", func(d *results.Document) { d.End.Interrupted = true }),
		sealed(run("another device", func(d *results.Document) { d.Run.Device.Model = "NVIDIA H200" })),
		sealed(row("a rate", func(r *results.Row) { r.Rate *= 1.1 })),
	}
}
