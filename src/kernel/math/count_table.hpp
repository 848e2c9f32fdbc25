// Values of a function of counts, so that it is computed once for each: the first few when the table is made, the others
// when the first of them is asked for. Larger counts are computed every time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "math/special.hpp"

namespace paucal {

class CountTable {
public:
    template <class F> explicit CountTable(F&& f) : few_(kFew) {
        for (std::uint32_t n = 0; n < kFew; ++n) few_[n] = f(n);
    }

    // `f` must be the function that the table was made with.
    template <class F> double at(std::uint32_t n, F&& f) const { return n < kFew ? few_[n] : beyond(n, f); }

private:
    template <class F> [[gnu::noinline]] double beyond(std::uint32_t n, F&& f) const {
        if (n > kTableRows) return f(n);
        std::call_once(filled_, [&] {
            many_.resize(kTableRows + 1);
            for (std::uint32_t m = kFew; m <= kTableRows; ++m) many_[m] = f(m);
        });
        return many_[n];
    }

    static constexpr std::uint32_t kFew = 512;
    std::vector<double> few_;
    mutable std::vector<double> many_;
    mutable std::once_flag filled_;
};

}  // namespace paucal
