// collective.h: lanes, and the result of a verb that tiles execute in step. See tile.h.
#pragma once

namespace hz {

// Lane identifies a lane inside each(). On a GPU it is always this thread's own lane.
struct Lane {
  u32 i;
  HZ_FN u32 index() const { return i; }
};

template <class To, class From>
HZ_FN To bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

template <int W, bool InStep = false>
class Tile;

// Collective is a T that a verb has just returned. As an operand of && or || the verb might be under a condition, so it
// does not compile there. Nor does c ? verb : value, because each of the two converts to the other. (c ? verb : verb
// compiles; C++ has no way to forbid it. The last rung of `hashzoo check` finds it.) What operators make of a
// Collective is one again. A variable or parameter of type T takes the value, and `if` and `while` test it.
template <class T>
class Collective {
 public:
  using NotYetNamed = T;
  HZ_FN Collective(T value) : value_(value) {}
  HZ_FN operator T() const { return value_; }
  HZ_FN Collective operator!() && { return !value_; }

 private:
  T value_;
};

// CollectiveOf is what a verb of a tile returns: a Collective in step, and otherwise a T.
template <class Tile, class T>
struct ReturnedBy {
  using Type = T;
};
template <int W, class T>
struct ReturnedBy<Tile<W, true>, T> {
  using Type = Collective<T>;
};
template <class Tile, class T>
using CollectiveOf = typename ReturnedBy<Tile, T>::Type;

// Unnamed: an operand of type A is a Collective, and not a variable.
template <class A>
concept Unnamed = requires { typename A::NotYetNamed; };

template <class A, class B>
  requires(Unnamed<A> || Unnamed<B>)
constexpr bool operator&&(A&&, B&& name_the_result_of_the_verb_first) = delete;
template <class A, class B>
  requires(Unnamed<A> || Unnamed<B>)
constexpr bool operator||(A&&, B&& name_the_result_of_the_verb_first) = delete;

#define HZ_OPERATOR(op)                  \
  template <class A, class B>            \
    requires(Unnamed<A> || Unnamed<B>)   \
  HZ_FN auto operator op(A&& a, B&& b) { \
    return Collective(a op b);           \
  }
// clang-format off
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"  // a literal is an int here
HZ_OPERATOR(==) HZ_OPERATOR(!=) HZ_OPERATOR(<) HZ_OPERATOR(>) HZ_OPERATOR(<=) HZ_OPERATOR(>=)
HZ_OPERATOR(&) HZ_OPERATOR(|) HZ_OPERATOR(^) HZ_OPERATOR(<<) HZ_OPERATOR(>>) HZ_OPERATOR(+) HZ_OPERATOR(-)
#pragma GCC diagnostic pop
// clang-format on
#undef HZ_OPERATOR

}  // namespace hz
