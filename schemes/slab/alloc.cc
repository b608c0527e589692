// Kernels of slab hash that are not operations: the allocator by itself, and looks.
#include "alloc.h"

#include "allocate.h"
#include "drive.h"
#include "kernel.h"
#include "look_slabs.h"

// The allocator alone, on a table (runtime/engine tests it): a warp allocates slab i and
// writes its address to Out; the addresses in Keys are released.
namespace hz {

template <Addresses A>
HZ_FN void allocate_slabs(const void* table, const void* batch, u64 first, u64 count) {
  u32* out = array<u32>(static_cast<const hz_batch*>(batch)->Out);
  SlabAlloc<kWarp, A> memory(static_cast<const hz_table*>(table));
  Tally<false> tally;
  for_each_tile<kWarp>(first, count, [&](const Tile<kWarp>& warp, u64 i) {
    const u32 address = memory.allocate(warp, true, mix32(u32(i)), tally);
    warp.each(1, [&](Lane) { out[i] = address; });
  });
}

template <Addresses A>
HZ_FN void release_slabs(const void* table, const void* batch, u64 first, u64 count) {
  const u32* keys = array<u32>(static_cast<const hz_batch*>(batch)->Keys);
  SlabAlloc<kWarp, A> memory(static_cast<const hz_table*>(table));
  Tally<false> tally;
  for_each_tile<kWarp>(first, count, [&](const Tile<kWarp>&, u64 i) { memory.release(keys[i], tally); });
}

// Unit memory by itself, for kernels/allocate.h: a table block without a table, of one base slab
// that nobody uses. Its directory and its flag are the counters.
template <Addresses A>
HZ_FN hz_table units_of(const hz_batch* b) {
  using Memory = SlabAlloc<kWarp, A>;
  hz_table t{};
  t.Buckets = 1;
  t.Arg[Memory::kFirstUnits] = b->PairLimit;
  t.Arg[Memory::kSuperBlocks] = 1;
  t.Region[Memory::kSlabs] = b->Values - (A == Addresses::light ? kSlabBytes : 0);
  t.Region[Memory::kDirectory] = b->Counters;
  t.Region[Memory::kBitmaps] = b->Values + b->PairLimit * kSlabBytes;
  // Every tile writes the address of the only super block, the same.
  if (A == Addresses::super)
    Tile<kWarp>{}.each(1, [&](Lane l) { lane_write(l, array<u64>(b->Counters) + 1, b->Values); });
  return t;
}

template <Addresses A>
HZ_FN void allocate_units(const void*, const void* block, u64 first, u64 count) {
  const hz_batch* b = static_cast<const hz_batch*>(block);
  const hz_table table = units_of<A>(b);
  u64* out = array<u64>(b->Out);
  SlabAlloc<kWarp, A> memory(&table);
  Tally<false> tally;
  for_each_tile<kWarp>(first, count, [&](const Tile<kWarp>& warp, u64 i) {
    const u32 address = memory.allocate(warp, true, mix32(u32(i)), tally);
    const u64 at = address == kNoSlab ? 0 : u64(memory.at(address));
    warp.each(1, [&](Lane) { out[i] = at; });
  });
}

// unit_at returns the address of the unit at a place in memory.
template <Addresses A>
HZ_FN u32 unit_at(const hz_batch* b, u64 at) {
  return u32((at - b->Values) / kSlabBytes) + (A == Addresses::light ? 1 : SlabAlloc<kWarp, A>::kSuperUnits);
}

template <Addresses A>
HZ_FN void release_units(const void*, const void* block, u64 first, u64 count) {
  const hz_batch* b = static_cast<const hz_batch*>(block);
  const hz_table table = units_of<A>(b);
  const u64* out = array<u64>(b->Out);
  SlabAlloc<kWarp, A> memory(&table);
  Tally<false> tally;
  for_each_tile<kWarp>(first, count, [&](const Tile<kWarp>&, u64 i) {
    if (out[i] != 0) memory.release(unit_at<A>(b, out[i]), tally);
  });
}

}  // namespace hz

HZ_PAIR4(HZ_SCHEME_KERNEL(hz_slab_light_allocate, hz::allocate_slabs<hz::Addresses::light>))
HZ_PAIR4(HZ_SCHEME_KERNEL(hz_slab_super_allocate, hz::allocate_slabs<hz::Addresses::super>))
HZ_PAIR4(HZ_SCHEME_KERNEL(hz_slab_light_release, hz::release_slabs<hz::Addresses::light>))
HZ_PAIR4(HZ_SCHEME_KERNEL(hz_slab_super_release, hz::release_slabs<hz::Addresses::super>))

HZ_PAIR4(HZ_KERNEL(hz_allocate_slabs_light, hz::allocate_units<hz::Addresses::light>))
HZ_PAIR4(HZ_KERNEL(hz_allocate_slabs_super, hz::allocate_units<hz::Addresses::super>))
HZ_PAIR4(HZ_KERNEL(hz_release_slabs_light, hz::release_units<hz::Addresses::light>))
HZ_PAIR4(HZ_KERNEL(hz_release_slabs_super, hz::release_units<hz::Addresses::super>))

HZ_PAIR4(HZ_KERNEL(hz_look_slabs_light, hz::look_slabs<hz::Addresses::light>))
HZ_PAIR4(HZ_KERNEL(hz_look_slabs_super, hz::look_slabs<hz::Addresses::super>))
