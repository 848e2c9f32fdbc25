// The modified parameters theta~ of the multinomial that stands in for a Polya likelihood (the paper's section 3.2).
#pragma once
#include <cstddef>
#include <cstdint>

#include "math/count_table.hpp"

namespace paucal {

enum class ZeroRule : std::uint8_t { limit, drop, nought };  // t(0) = exp(digamma(alpha)), left out, 0

// theta~ = (slope n + constant) / (slope N + K constant)
struct Line {
    double slope, constant;
    double at(double n) const { return slope * n + constant; }
};

class PolyaLine {
public:
    PolyaLine(double alpha, ZeroRule zero);
    // Least squares through (n, t(n)) of all cells; `cells` counts the empty ones too.
    Line fit(const std::uint32_t* counts, std::size_t size, double cells) const;

private:
    double above_line(std::uint32_t n) const {  // t(n) - n / e
        return table_.at(n, [this](std::uint32_t m) { return computed(m); });
    }
    double computed(std::uint32_t n) const;

    double alpha_, log_gamma_alpha_, at_zero_;
    ZeroRule zero_;
    CountTable table_;
};

}  // namespace paucal
