// vectors.cc: test.cc as a function.
#define main test_main
#include "../../testdata/test.cc"
#undef main

extern "C" int vectors_run(void) {
  const int wrong = test_main();
  std::fflush(nullptr);
  return wrong;
}
