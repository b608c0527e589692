#if defined(__NVCC__) && !defined(__clang__)
#undef __nvvm_read_ptx_sreg_tid_x
#undef __nvvm_read_ptx_sreg_ntid_x
#undef __nvvm_read_ptx_sreg_ctaid_x
#undef __nvvm_read_ptx_sreg_nctaid_x
#undef __nvvm_vote_ballot_sync
#undef __nvvm_vote_any_sync
#undef __nvvm_bar_warp_sync
#undef __nvvm_shfl_sync_idx_i32
#undef __nvvm_shfl_sync_bfly_i32
#undef __nvvm_match_any_sync_i32
#undef __nvvm_match_any_sync_i64
#undef __nvvm_barrier_sync
#undef __atomic_load_n
#undef __atomic_compare_exchange_n
#undef __atomic_fetch_add
#undef __atomic_fetch_min
#undef __atomic_fetch_max
#undef __builtin_popcount
#undef __builtin_clz
#undef __builtin_clzll
#undef __builtin_ctz
#undef __builtin_ctzll
#pragma nv_diagnostic pop
#endif
