//go:build ignore

// The input of `go generate ./kernels`, which turns the structs of abi.h into Go structs
// (abi_generated.go). A test compares the two.
package kernels

// #include "abi.h"
// #include "partition_abi.h"
// #include "sort_abi.h"
import "C"

// The blocks that kernels are called with; abi.h describes their fields.
type (
	Hash        C.hz_hash
	Table       C.hz_table
	Batch       C.hz_batch
	Scan        C.hz_scan
	Step        C.hz_step
	Program     C.hz_program
	Fill        C.hz_fill
	Digest      C.hz_digest
	Look        C.hz_look
	Split       C.hz_split
	SplitColumn C.hz_split_column
	Sort        C.hz_sort
)
