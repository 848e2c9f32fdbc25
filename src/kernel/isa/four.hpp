// Four numbers that are computed with at once, by the same formula. How they are aligned and passed depends on the
// instruction set, so they stay within a file; between files go arrays of doubles.
#pragma once
#include <cstdint>

namespace paucal {

using Four = double __attribute__((vector_size(32)));

// Whole numbers without a conversion instruction that AVX2 does not have: they are put into the mantissa of 2^52.
static inline Four four_of(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    using Bits = unsigned long long __attribute__((vector_size(32)));
    const std::uint32_t __attribute__((vector_size(16))) counts{a, b, c, d};
    return (Four)(__builtin_convertvector(counts, Bits) | 0x4330000000000000ull) - 0x1p52;
}

static inline Four smaller(Four a, Four b) { return a < b ? a : b; }
static inline Four larger(Four a, Four b) { return a > b ? a : b; }

}  // namespace paucal
