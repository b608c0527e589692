// Kernels of slab hash that are not operations: the allocator by itself, and looks.
#include "alloc.h"

#include "drive.h"
#include "kernel.h"
#include "look_slabs.h"

// The allocator alone, for its benchmark (runtime/engine): a warp allocates slab i and
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

// bump_slabs allocates as simply as possible, for comparison: a warp takes the next unit by adding
// to a counter, at Values. It cannot release any.
HZ_FN void bump_slabs(const void* table, const void* batch, u64 first, u64 count) {
  const hz_table* t = static_cast<const hz_table*>(table);
  const hz_batch* b = static_cast<const hz_batch*>(batch);
  u32 *out = array<u32>(b->Out), *next = array<u32>(b->Values);
  const u64 units = t->Arg[SlabAlloc<kWarp, Addresses::light>::kFirstUnits];
  for_each_tile<kWarp>(first, count, [&](const Tile<kWarp>& warp, u64 i) {
    const u32 unit = warp.fetch_add(next, u32(1)), address = unit < units ? u32(t->Buckets) + unit : kNoSlab;
    warp.each(1, [&](Lane) { out[i] = address; });
  });
}

}  // namespace hz

HZ_PAIR4(HZ_SCHEME_KERNEL(hz_slab_light_allocate, hz::allocate_slabs<hz::Addresses::light>))
HZ_PAIR4(HZ_SCHEME_KERNEL(hz_slab_super_allocate, hz::allocate_slabs<hz::Addresses::super>))
HZ_PAIR4(HZ_SCHEME_KERNEL(hz_slab_bump_allocate, hz::bump_slabs))
HZ_PAIR4(HZ_SCHEME_KERNEL(hz_slab_light_release, hz::release_slabs<hz::Addresses::light>))
HZ_PAIR4(HZ_SCHEME_KERNEL(hz_slab_super_release, hz::release_slabs<hz::Addresses::super>))

HZ_PAIR4(HZ_KERNEL(hz_look_slabs_light, hz::look_slabs<hz::Addresses::light>))
HZ_PAIR4(HZ_KERNEL(hz_look_slabs_super, hz::look_slabs<hz::Addresses::super>))
