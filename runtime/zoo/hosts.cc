// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#include "host_engine.h"
#include "host_gauges.h"
HZ_OWN_OP(alone_insert)
HZ_OWN_OP(board)
HZ_OWN_OP(compact_buckets)
HZ_OWN_OP(copy)
HZ_OWN_OP(drop)
HZ_OWN_OP(make)
HZ_OWN_OP(merge)
HZ_OWN_OP(renew)
HZ_OWN_OP(scatter)
HZ_OWN_OP(split)
HZ_OWN_OP(survey)
HZ_OWN_OP(transfer)
HZ_OWN_OP(weigh)
HZ_OWN_OP(widen)
#include "../../schemes/1cht/host.h"
#include "../../schemes/assoc/host.h"
#include "../../schemes/bcht/host.h"
#include "../../schemes/bp2ht/host.h"
#include "../../schemes/chained/host.h"
#include "../../schemes/clstash/host.h"
#include "../../schemes/csr/host.h"
#include "../../schemes/double/host.h"
#include "../../schemes/dycuckoo/host.h"
#include "../../schemes/fks/host.h"
#include "../../schemes/iht/host.h"
#include "../../schemes/linear/host.h"
#include "../../schemes/megakv/host.h"
#include "../../schemes/sieve/host.h"
#include "../../schemes/slab/host.h"
#include "../../schemes/stash/host.h"

HZ_HOST(shared_gauges, hz::host::SharedGauges, hz::host::NoParams, hz::host::OpList<>)

struct ParamsOf_1cht {
  int64_t hashes, hash, max_chain, auto_, exchange, on_failure, rebuilds;
  static constexpr int64_t hash_fast = 0, hash_universal = 1, max_chain_arg = 0, auto_generous = 0, auto_cudpp = 1, exchange_last = 0, exchange_always = 1, on_failure_report = 0, on_failure_rebuild = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_1cht{value[0], value[1], value[2], value[3], value[4], value[5], value[6]}; }
};
HZ_HOST(1cht, hz::host::OneChtHost, ParamsOf_1cht, hz::host::OpList<hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_insert, hz::op_retrieve, hz::op_update>)

struct ParamsOf_assoc {
  int64_t policy, hash;
  static constexpr int64_t policy_lru = 0, policy_lfu = 1, policy_fifo = 2, policy_random = 3, policy_user = 4, policy_arg = 0, hash_fast = 0, hash_universal = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_assoc{value[0], value[1]}; }
};
HZ_HOST(assoc, hz::host::AssocHost, ParamsOf_assoc, hz::host::OpList<hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_get, hz::op_insert, hz::op_put, hz::op_retrieve, hz::op_update, hz::op_upsert>)

struct ParamsOf_bcht {
  int64_t bucket, hashes, hash, max_chain, looks, placement, on_failure, bulk, rebuilds;
  static constexpr int64_t hash_fast = 0, hash_universal = 1, max_chain_arg = 0, looks_arg = 1, placement_first = 0, placement_least_loaded = 1, on_failure_report = 0, on_failure_rebuild = 1, bulk_auto = 0, bulk_never = 1, bulk_always = 2;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_bcht{value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8]}; }
};
HZ_HOST(bcht, hz::host::BchtHost, ParamsOf_bcht, hz::host::OpList<hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_get, hz::op_insert, hz::op_put, hz::op_retrieve, hz::op_update>)

struct ParamsOf_bp2ht {
  int64_t bucket, hashes, room, hash, on_failure, rebuilds;
  static constexpr int64_t room_board = 0, room_buckets = 1, hash_fast = 0, hash_universal = 1, on_failure_report = 0, on_failure_rebuild = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_bp2ht{value[0], value[1], value[2], value[3], value[4], value[5]}; }
};
HZ_HOST(bp2ht, hz::host::Bp2htHost, ParamsOf_bp2ht, hz::host::OpList<hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_insert, hz::op_mix, hz::op_retrieve, hz::op_update>)

struct ParamsOf_chained {
  int64_t chain, hash;
  static constexpr int64_t hash_fast = 0, hash_universal = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_chained{value[0], value[1]}; }
};
HZ_HOST(chained, hz::host::ChainedHost, ParamsOf_chained, hz::host::OpList<hz::op_add, hz::op_combine, hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_flush, hz::op_insert, hz::op_max, hz::op_min, hz::op_mix, hz::op_retrieve, hz::op_tally, hz::op_update, hz::op_upsert>)

struct ParamsOf_clstash {
  int64_t ticket, hash, threshold;
  static constexpr int64_t ticket_arg = 0, hash_fast = 0, hash_universal = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_clstash{value[0], value[1], value[2]}; }
};
HZ_HOST(clstash, hz::host::ClStashHost, ParamsOf_clstash, hz::host::OpList<hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_insert, hz::op_retrieve>)

struct ParamsOf_csr {
  int64_t hash, max_probes, keys, bulk;
  static constexpr int64_t hash_fast = 0, hash_universal = 1, max_probes_arg = 0, keys_arg = 1, bulk_auto = 0, bulk_never = 1, bulk_always = 2;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_csr{value[0], value[1], value[2], value[3]}; }
};
HZ_HOST(csr, hz::host::CsrHost, ParamsOf_csr, hz::host::OpList<hz::op_count, hz::op_export, hz::op_find, hz::op_find_all, hz::op_insert, hz::op_retrieve>)

struct ParamsOf_double {
  int64_t window, hash, max_probes, bulk;
  static constexpr int64_t hash_fast = 0, hash_universal = 1, max_probes_arg = 0, bulk_auto = 0, bulk_never = 1, bulk_always = 2;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_double{value[0], value[1], value[2], value[3]}; }
};
HZ_HOST(double, hz::host::DoubleHost, ParamsOf_double, hz::host::OpList<hz::op_add, hz::op_combine, hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_flush, hz::op_insert, hz::op_max, hz::op_min, hz::op_mix, hz::op_retrieve, hz::op_tally, hz::op_update, hz::op_upsert>)

struct ParamsOf_dycuckoo {
  int64_t pairs, subtables, hash, max_chain, places, coordination, duplicates, resize, alpha, beta;
  static constexpr int64_t pairs_whole = 0, pairs_apart = 1, hash_fast = 0, hash_universal = 1, max_chain_arg = 0, places_two = 0, places_all = 1, places_arg = 1, coordination_together = 0, coordination_voter = 1, coordination_spin = 2, coordination_arg = 2, duplicates_refused = 0, duplicates_updated = 1, duplicates_arg = 3, resize_auto = 0, resize_manual = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_dycuckoo{value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8], value[9]}; }
};
HZ_HOST(dycuckoo, hz::host::DyCuckooHost, ParamsOf_dycuckoo, hz::host::OpList<hz::op_add, hz::op_combine, hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_insert, hz::op_max, hz::op_min, hz::op_resize, hz::op_retrieve, hz::op_tally, hz::op_update, hz::op_upsert>)

struct ParamsOf_fks {
  int64_t bucket, reg_load, full, max_chain, rehashes, reserve, hashes, hash;
  static constexpr int64_t bucket_arg = 0, reg_load_arg = 1, full_arg = 2, max_chain_arg = 3, rehashes_arg = 4, reserve_arg = 5, hash_fast = 0, hash_universal = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_fks{value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7]}; }
};
HZ_HOST(fks, hz::host::FksHost, ParamsOf_fks, hz::host::OpList<hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_flush, hz::op_insert, hz::op_mix, hz::op_resize, hz::op_retrieve, hz::op_update>)

struct ParamsOf_gomap {
  int64_t stripes;
  static constexpr int64_t stripes_arg = 0;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_gomap{value[0]}; }
};
HZ_HOST(gomap, hz::host::NoHost, ParamsOf_gomap, hz::host::OpList<hz::op_add, hz::op_combine, hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_insert, hz::op_max, hz::op_min, hz::op_mix, hz::op_retrieve, hz::op_tally, hz::op_update, hz::op_upsert>)

struct ParamsOf_iht {
  int64_t bucket, threshold, erased, room, hash, on_failure, rebuilds;
  static constexpr int64_t threshold_arg = 0, erased_unused = 0, erased_marked = 1, room_board = 0, room_buckets = 1, hash_fast = 0, hash_universal = 1, on_failure_report = 0, on_failure_rebuild = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_iht{value[0], value[1], value[2], value[3], value[4], value[5], value[6]}; }
};
HZ_HOST(iht, hz::host::IhtHost, ParamsOf_iht, hz::host::OpList<hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_insert, hz::op_mix, hz::op_retrieve, hz::op_update>)

struct ParamsOf_linear {
  int64_t bucket, hash, max_probes, bulk, resize, alpha, beta;
  static constexpr int64_t hash_fast = 0, hash_universal = 1, max_probes_arg = 0, bulk_auto = 0, bulk_never = 1, bulk_always = 2, resize_manual = 0, resize_auto = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_linear{value[0], value[1], value[2], value[3], value[4], value[5], value[6]}; }
};
HZ_HOST(linear, hz::host::LinearHost, ParamsOf_linear, hz::host::OpList<hz::op_add, hz::op_combine, hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_flush, hz::op_insert, hz::op_max, hz::op_min, hz::op_mix, hz::op_resize, hz::op_retrieve, hz::op_tally, hz::op_update, hz::op_upsert>)

struct ParamsOf_megakv {
  int64_t bucket, hash, max_chain, on_failure, rebuilds, resize, alpha, beta;
  static constexpr int64_t hash_fast = 0, hash_universal = 1, max_chain_arg = 0, on_failure_report = 0, on_failure_rebuild = 1, resize_manual = 0, resize_auto = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_megakv{value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7]}; }
};
HZ_HOST(megakv, hz::host::MegaKvHost, ParamsOf_megakv, hz::host::OpList<hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_insert, hz::op_resize, hz::op_retrieve, hz::op_update>)

struct ParamsOf_sieve {
  int64_t bucket, filter, hashes, hash, max_chain, on_failure, rebuilds;
  static constexpr int64_t hash_fast = 0, hash_universal = 1, max_chain_arg = 0, on_failure_report = 0, on_failure_rebuild = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_sieve{value[0], value[1], value[2], value[3], value[4], value[5], value[6]}; }
};
HZ_HOST(sieve, hz::host::SieveHost, ParamsOf_sieve, hz::host::OpList<hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_insert, hz::op_mix, hz::op_retrieve, hz::op_update>)

struct ParamsOf_slab {
  int64_t alloc, beta, spare, super_blocks, changes, flush, erased, hash;
  static constexpr int64_t alloc_light = 0, alloc_super = 1, erased_marked = 0, erased_reused = 1, hash_fast = 0, hash_universal = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_slab{value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7]}; }
};
HZ_HOST(slab, hz::host::SlabHashHost, ParamsOf_slab, hz::host::OpList<hz::op_add, hz::op_combine, hz::op_count, hz::op_erase, hz::op_erase_all, hz::op_export, hz::op_find, hz::op_find_all, hz::op_flush, hz::op_insert, hz::op_max, hz::op_min, hz::op_mix, hz::op_retrieve, hz::op_tally, hz::op_update, hz::op_upsert>)

struct ParamsOf_stash {
  int64_t ticket, access, lookups, board, hash;
  static constexpr int64_t ticket_arg = 0, access_off = 0, access_on = 1, access_arg = 1, lookups_slots = 0, lookups_board = 1, board_auto = 0, board_kept = 1, board_after = 2, hash_fast = 0, hash_universal = 1;
  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_stash{value[0], value[1], value[2], value[3], value[4]}; }
};
HZ_HOST(stash, hz::host::StashHost, ParamsOf_stash, hz::host::OpList<hz::op_add, hz::op_combine, hz::op_count, hz::op_erase, hz::op_export, hz::op_find, hz::op_insert, hz::op_max, hz::op_min, hz::op_mix, hz::op_retrieve, hz::op_tally, hz::op_update, hz::op_upsert>)

