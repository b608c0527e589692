// Package record keeps runs, so that they can be replayed: on the same scheme or others,
// on another device, without the script.
//
// A recording is NDJSON (docs/recordings.md): a header, and for every table its shape, the
// batches that it was given, in order, and their outcomes. In a recipe, a batch has the
// expressions that make its numbers. A materialised recording is an Arrow file with the
// numbers themselves as columns, and the same lines in its metadata.
//
// The parts: model.go has the types of a Recording, which are those of its lines (line.go);
// reader makes a Recording of lines; Recorder writes one as it listens to a run; Replay is
// a run.Script that repeats a recording; Checker compares a replay with its recording.
//
// Recordings are not trusted: every size in a file is checked against a bound, or against
// the file's own size, before memory is taken for it.
package record
