// Package lua runs workload scripts: it reads their declarations, calls their functions,
// and turns their requests into batches for a table.
//
// A script is one Lua file. Inspect runs it once without a table and returns its
// declarations. Start runs it again for one scheme at one point of the axes. The resulting
// run.Instance has its own Lua state; instances do not affect each other. Instances with the
// same seed, options and point make the same streams.
//
// Scripts never run once per key. They compose streams (workloads/stream) and pass whole
// batches to a Table, which package run implements. docs/lua.md is the reference.
//
// Scripts are untrusted: runtime/sandbox bounds what they may use. Errors in a script are
// *Error values with file, line and the line's text.
package lua
