// Package record records runs and replays them: on the same scheme or others, on another device, without the script.
//
// A recording is NDJSON (docs/recordings.md): a header, and for every table its shape, the batches that it got, in
// order, and their outcomes. In a recipe, a batch has the expressions that generate its numbers. A materialized
// recording is a Parquet file with the numbers as columns and the same lines in its metadata.
//
// model.go has the types of the lines, each with its check; reader makes a Recording of lines; Recorder listens to a
// run and writes one; Replay.Start is a run.Script that repeats one; Checker compares a replay with its recording.
//
// Recordings are not trusted: every size in a file is checked against a bound, or against the
// size of the file, before memory is allocated for it.
package record
