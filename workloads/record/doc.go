// Package record keeps runs, so that they can be replayed: on the same scheme or others,
// on another device, without the script.
//
// A recording is lines of text (docs/recordings.md): where it comes from, and for every
// table what it is like, the batches that it was given in order, and what came of them. A
// recipe is nothing else: a batch is the expressions that its numbers are made by. A
// materialised recording is an Arrow file that has the numbers themselves as columns, and
// the same lines in its metadata.
//
// The parts: line.go is one line; model.go is what a Recording has, and read.go makes it
// of lines; Recorder writes one as it listens to a run; Replay is a run.Script that does
// what a recording says; Checker holds what comes of it against what was recorded.
//
// Recordings are not trusted: whatever a file says, its sizes are held against bounds, or
// against the file's own size, before memory is taken for them.
package record
