// The regret of normalised maximum likelihood for multinomials.
#include <cmath>
#include <cstddef>

#include "errors.hpp"
#include "math/special.hpp"

namespace paucal {

double log_multinomial_regret(std::size_t rows, double cells) {
    const double n = static_cast<double>(rows);
    if (!(cells >= 0 && std::isfinite(cells)) || rows >= std::size_t{1} << 32)
        refuse("a regret is for up to 2^32 - 1 rows and a finite number of cells, not ", rows, " and ", cells);
    if (rows == 0 || cells < 2) return 0;
    if (cells > 1000) {  // Szpankowski and Weinberger (2012); here its relative error is below 1e-5
        const double a = cells / n, more = 2 / (a * (1 + std::sqrt(1 + 4 / a))), c = 1 + more;
        return n * (std::log(a) + (a + 2) * std::log1p(more) - 1 / c) - .5 * std::log(c + 2 / a);
    }
    // Exactly: C(N, 1) = 1, C(N, 2) = 1 + the sum over k of N! / ((N - k)! N^k), and C(N, K + 2) = C(N, K + 1) +
    // N / K C(N, K) (Kontkanen and Myllymaki 2007), with the growing common factor kept apart as a logarithm.
    double before = 1, now = 1, log_factor = 0, term = 1;
    for (double k = 0; k < n && term > 1e-17; ++k) now += term *= (n - k) / n;
    for (double k = 1; k < cells - 1; ++k) {
        const double next = now + n / k * before;
        before = now / next;
        now = 1;
        log_factor += std::log(next);
    }
    return log_factor + std::log(now);
}

}  // namespace paucal
