// observe_cpu.h: what instrumented kernels report to the observer of their thread. See abi.h.
#pragma once

#include "inline_cpu.h"

namespace hz {

#define HZ_AS_VERB(name) kVerb_##name,
enum Verb : u32 { HZ_VERBS(HZ_AS_VERB) kVerbs };
#undef HZ_AS_VERB

inline constexpr bool kObserved = true;
inline constinit thread_local hz_observer observer = nullptr;
inline constinit thread_local u64 observer_is = 0;
// comparing: the observer compares the verbs of tiles. idling: a tile does what it would do while it is idle.
inline constinit thread_local bool comparing = false, idling = false;

inline void observe_with(hz_observer call, u64 who) {
  observer = call;
  observer_is = who & ~HZ_COMPARES;
  comparing = (who & HZ_COMPARES) != 0;
}

HZ_FN void observe(Event event, const void* at, int bytes, u64 key = 0, u32 place = 0, u32 step = 0) {
  if (observer == nullptr || idling) return;
  observer(observer_is, event, reinterpret_cast<u64>(at), u64(bytes), key, place, step);
}

// observe_verb reports a verb of a tile in step, and what the tile may branch on if it answers that. observe_change
// reports that an idle tile changes memory. Timed kernels have neither.
#if defined(HZ_COUNTED)
HZ_FN void observe_verb(Verb verb, bool answer = false) {
  if (comparing) observer(observer_is, kEvent_verb, 0, 0, verb, answer, idling);
}
HZ_FN void observe_change(const void* at) {
  if (idling) observer(observer_is, kEvent_spoilt, reinterpret_cast<u64>(at), 0, 0, 0, 0);
}
#else
HZ_FN void observe_verb(Verb, bool = false) {}
HZ_FN void observe_change(const void*) {}
#endif

}  // namespace hz
