// op.h: the operations by name, for table.ref<...>() and mixed batches.
#ifndef HASHZOO_OP_H
#define HASHZOO_OP_H

// Each has its number, and the kernel that carries it out: one kernel for all that combine values.
#define HASHZOO_OP(name, kind, ...) HASHZOO_OP_##kind(name, __VA_ARGS__)
#define HASHZOO_OP_keys(name, value, answer, adds, removes, outcomes, becomes, ...) \
  struct name {                                                                     \
    static constexpr hz::u8 code = hz::k_op_##name;                                 \
    using Kernel = hz::HASHZOO_KERNEL_##becomes(name);                              \
  };
#define HASHZOO_OP_slots(...)
#define HASHZOO_OP_host(...)
#define HASHZOO_OP_mixed(...)
#define HASHZOO_OP_family(...)
#define HASHZOO_KERNEL_kept(name) op_##name
#define HASHZOO_KERNEL_given(name) op_##name
#define HASHZOO_KERNEL_sum(name) op_combine
#define HASHZOO_KERNEL_least(name) op_combine
#define HASHZOO_KERNEL_most(name) op_combine
namespace hashzoo::op {
HZ_OPS(HASHZOO_OP)
}
#undef HASHZOO_OP
#undef HASHZOO_OP_keys
#undef HASHZOO_OP_slots
#undef HASHZOO_OP_host
#undef HASHZOO_OP_mixed
#undef HASHZOO_OP_family
#undef HASHZOO_KERNEL_kept
#undef HASHZOO_KERNEL_given
#undef HASHZOO_KERNEL_sum
#undef HASHZOO_KERNEL_least
#undef HASHZOO_KERNEL_most

#endif
