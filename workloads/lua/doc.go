// Package lua runs workload scripts: it reads what a script declares, calls its
// functions, and turns its wishes into batches for a table.
//
// A script is one Lua file. Inspect runs it once without a table and returns what it
// declares. Start runs it again for one scheme at one point of the axes: an Instance
// has a Lua state of its own, and nothing that one instance does reaches another.
// Two instances with the same seed, options and point are given the same streams.
//
// Scripts never run once per key. They put streams together (workloads/stream) and
// hand whole batches to a Table, which package run implements. docs/lua.md is the
// reference of what a script can say.
//
// Scripts are not trusted: runtime/sandbox bounds what they may use, and how much of it.
// What goes wrong in a script is an *Error with file, line and the line's text.
package lua
