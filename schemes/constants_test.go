package schemes

import (
	"testing"
	"testing/fstest"
)

const header = `// enum Not { kNot };
template <class P> class Table {
  using Key = typename P::Key;
  enum Arg { kFirst, kSecond = 4, kThird };  // kFourth
  enum { kTwo, kAll };
  enum class Words { super, light };
  static constexpr u32 kBits = 29, kOne = u32(1) << kBits, kSum = kBits + kThird;
  static constexpr u32 kUnits = 1u << 24;
  static constexpr bool kWord = sizeof(P) == alignof(P);
  struct alignas(8) Entry {
    u64 far;
  };
  struct State {
    u32 listed;  // buckets
    u32 rehashed, halved;
  };
};
`

func TestConstantsOfAHeader(t *testing.T) {
	c := ReadConstants(fstest.MapFS{"x.h": {Data: []byte(header)}}, "x.h")
	for name, want := range map[string]uint64{
		"kFirst": 0, "kSecond": 4, "kThird": 5, "kAll": 1, "light": 1, "kBits": 29, "kOne": 1 << 29, "kSum": 34, "kUnits": 1 << 24,
		"State.listed": 0, "State.halved": 2, "State.words": 3,
	} {
		if have := c.Of(name); have != want {
			t.Errorf("%s is %d, not %d", name, have, want)
		}
	}
	for _, name := range []string{"kNot", "kFourth", "kWord", "Entry.far"} {
		if n, ok := c[name]; ok {
			t.Errorf("%s is %d", name, n)
		}
	}
}
