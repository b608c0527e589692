// The kernels that carry out a batch part by part of a table.
#include "bulk_runs.h"
#include "kernel.h"
#include "sample.h"

#define HZ_BULK_KERNEL(name, blocks, ...) HZ_BLOCK_KERNEL(name, HZ_BULK_THREADS, blocks, __VA_ARGS__)

HZ_BULK_KERNEL(hz_bulk_split_k4, HZ_SPLIT_BLOCKS, hz::bulk<hz::BulkSplit<hz::u32>>)
HZ_BULK_KERNEL(hz_bulk_split_k8, HZ_SPLIT_BLOCKS, hz::bulk<hz::BulkSplit<hz::u64>>)
HZ_BULK_KERNEL(hz_bulk_build_k4, HZ_BUILD_BLOCKS, hz::bulk<hz::BulkBuild<hz::u32>>)
HZ_BULK_KERNEL(hz_bulk_build_k8, HZ_BUILD_BLOCKS, hz::bulk<hz::BulkBuild<hz::u64>>)
HZ_BULK_KERNEL(hz_bulk_singles_k4, HZ_BUILD_BLOCKS, hz::bulk<hz::BulkSingles<hz::u32>>)
HZ_BULK_KERNEL(hz_bulk_singles_k8, HZ_BUILD_BLOCKS, hz::bulk<hz::BulkSingles<hz::u64>>)
HZ_BULK_KERNEL(hz_bulk_runs_k4, HZ_BUILD_BLOCKS, hz::bulk<hz::BulkRuns<hz::u32>>)
HZ_BULK_KERNEL(hz_bulk_runs_k8, HZ_BUILD_BLOCKS, hz::bulk<hz::BulkRuns<hz::u64>>)
HZ_KERNEL(hz_sample_k4, hz::sample_keys<hz::u32>)
HZ_KERNEL(hz_sample_k8, hz::sample_keys<hz::u64>)
HZ_KERNEL(hz_bulk_outcomes, hz::bulk_outcomes)
