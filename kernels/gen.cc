// The generator kernel, and what Go needs to write programs for it.
#include "gen.h"

#include "kernel.h"

HZ_KERNEL(hz_generate, hz::generate)

namespace hz {
// real_table is the body of hz_real. Tests use it to compare the functions of real.h with
// reference implementations, and backends with each other. The table block holds x[i];
// the batch block gets three doubles for each, the quantile only for x[i] between 0 and
// 1.
HZ_FN void real_table(const void* x_block, void* y_block, u64 first, u64 count) {
  const double* x = static_cast<const double*>(x_block);
  double* y = static_cast<double*>(y_block);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      const u64 i = base + l.index();
      y[3 * i] = x[i] > 0 ? natural_log(x[i]) : 0.0;
      y[3 * i + 1] = x[i] >= -708 && x[i] <= 709 ? exponential(x[i]) : 0.0;
      y[3 * i + 2] = x[i] > 0 && x[i] < 1 ? normal_quantile(x[i]) : 0.0;
    });
  });
}
}  // namespace hz

HZ_KERNEL(hz_real, hz::real_table)

#if !HZ_GPU
#include "library.h"

extern "C" {
// The generator's own functions compute the constants, not Go's, so their bits are also
// the same on every machine.
void hz_zipfian(uint64_t n, double theta, uint64_t* constants) { hz::Zipfian::compute(n, theta, constants); }

void hz_powers(uint64_t n, double exponent, double* powers) {
  constexpr double least = -700;  // the end of exponential's range
  for (uint64_t i = 0; i < n; i++) {
    const double log = hz::product(exponent, hz::natural_log(double(i + 1)));
    powers[i] = hz::exponential(log < least ? least : log);
  }
}

#define HZ_STEP_LINE(name, pops, constants, help) #name " " #pops " " #constants " " help "\n"
const char* hz_step_ops = HZ_STEP_OPS(HZ_STEP_LINE);
}
#endif
