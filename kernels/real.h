// real.h: logarithm, exponential and normal quantile, with the same bits on every
// processor.
//
// Library functions differ between a CPU and a GPU in the last bit, and so does a product
// that only one of the compilers fuses with an addition. This header uses only + - * /
// and square roots of doubles, each rounded separately: a product that is added to
// something goes through product(). Arguments must be in the documented ranges; NaN and
// infinity are not checked.
#pragma once

#include "tile.h"

namespace hz {

// horner is c0 + c1 x + c2 x^2 + ...
HZ_FN double horner(double, double c) { return c; }
template <class... More>
HZ_FN double horner(double x, double c, More... more) {
  return product(horner(x, more...), x) + c;
}

// ln 2 in two parts. The first has so few bits that its product with any exponent is
// exact.
inline constexpr double kLn2High = 6.93147180369123816490e-01;
inline constexpr double kLn2Low = 1.90821492927058770002e-10;

// natural_log is ln x for a positive normal x, accurate to about 1 unit in the last
// place, and exactly 0 at 1. It follows fdlibm: x = 2^k (1 + f) with 1 + f between the
// square roots of 1/2 and 2, and ln(1 + f) from a series in s = f / (2 + f).
HZ_FN double natural_log(double x) {
  constexpr u64 root_half = 0x3fe6a09e00000000ull;  // the upper bits of sqrt(1/2), so slightly below it
  const u64 shifted = bits<u64>(x) - root_half;
  const double k = double(int64_t(shifted) >> 52);
  const double f = bits<double>((shifted & 0x000fffffffffffffull) + root_half) - 1.0;
  const double half_square = product(0.5 * f, f);
  const double s = f / (2.0 + f);
  const double z = product(s, s);
  const double series = product(z, horner(z, 6.666666666666735130e-01, 3.999999999940941908e-01,
                                          2.857142874366239149e-01, 2.222219843214978396e-01, 1.818357216161805012e-01,
                                          1.531383769920937332e-01, 1.479819860511658591e-01));
  return product(s, half_square + series) + product(k, kLn2Low) - half_square + f + product(k, kLn2High);
}

// exponential is e^x for x between -708 and 709, accurate to about 1 unit in the last
// place. It also follows fdlibm: x = k ln 2 + r with |r| below 0.35, and e^r from a
// rational function of r.
HZ_FN double exponential(double x) {
  const int64_t k = int64_t(product(x, 1.44269504088896338700e+00) + (x < 0 ? -0.5 : 0.5));
  const double high = x - product(double(k), kLn2High);
  const double low = product(double(k), kLn2Low);
  const double r = high - low;
  const double square = product(r, r);
  const double c =
      r - product(square, horner(square, 1.66666666666666019037e-01, -2.77777777770155933842e-03,
                                 6.61375632143793436117e-05, -1.65339022054652515390e-06, 4.13813679705723846039e-08));
  const double y = 1.0 + (r * c / (2.0 - c) - low + high);
  return bits<double>(bits<u64>(y) + (u64(k) << 52));
}

// normal_quantile is the z that a standard normal variable is below with probability p,
// for 0 < p < 1, accurate to about 1 part in 10^15: Wichura, Algorithm AS 241 (PPND16),
// Applied Statistics 37 (1988).
HZ_FN double normal_quantile(double p) {
  const double q = p - 0.5;
  if (q >= -0.425 && q <= 0.425) {
    const double r = 0.180625 - product(q, q);
    return q *
           horner(r, 3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
                  4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3) /
           horner(r, 1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
                  2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3);
  }
  const double r = square_root(-natural_log(q < 0 ? p : 1.0 - p));
  double z;
  if (r <= 5.0) {
    const double t = r - 1.6;
    z = horner(t, 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
               3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2,
               7.74545014278341407640e-4) /
        horner(t, 1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
               1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
               1.05075007164441684324e-9);
  } else {
    const double t = r - 5.0;
    z = horner(t, 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
               2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
               2.71155556874348757815e-5, 2.01033439929228813265e-7) /
        horner(t, 1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
               7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
               2.04426310338993978564e-15);
  }
  return q < 0 ? -z : z;
}

}  // namespace hz
