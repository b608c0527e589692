#ifndef HZ_DYCUCKOO_H
#define HZ_DYCUCKOO_H

#include "locked.h"
#include "swapped.h"

namespace hz {

enum class Pairs { whole, apart };

template <class P, Pairs How>
struct DyCuckooOf {
  using Type = Swapped<P>;
};
template <class P>
struct DyCuckooOf<P, Pairs::apart> {
  using Type = Locked<P>;
};
template <class P, Pairs How>
using DyCuckoo = typename DyCuckooOf<P, How>::Type;

}  // namespace hz

#endif
