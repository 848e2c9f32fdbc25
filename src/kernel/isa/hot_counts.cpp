// Compiled once per instruction set; PAUCAL_ISA is the suffix of the table defined here.
// Rule of this file: raw pointers and built-ins only. A library template instantiated here with AVX2 switched on
// could be the copy the linker keeps for everybody.
#include "isa/hot_counts.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define PAUCAL_JOIN_(a, b) a##b
#define PAUCAL_JOIN(a, b) PAUCAL_JOIN_(a, b)

namespace paucal {
namespace {

constexpr std::size_t kBlock = 512;  // words of an intermediate bitset: 4 KiB, a few stay in the first-level cache

inline std::uint32_t ones(std::uint64_t w) { return static_cast<std::uint32_t>(__builtin_popcountll(w)); }

#if defined(__AVX512VPOPCNTDQ__)
constexpr double kCyclesPerWord = .15;

inline std::uint32_t sum_of(__m512i lanes) {
    std::uint64_t n[8];
    _mm512_storeu_si512(n, lanes);
    return static_cast<std::uint32_t>(((n[0] + n[1]) + (n[2] + n[3])) + ((n[4] + n[5]) + (n[6] + n[7])));
}

// One instruction counts the bits of eight words.
inline std::uint32_t ones_in_common(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
    __m512i total = _mm512_setzero_si512();
    std::size_t w = 0;
    for (; w + 8 <= words; w += 8)
        total = _mm512_add_epi64(
            total, _mm512_popcnt_epi64(_mm512_and_si512(_mm512_loadu_si512(a + w), _mm512_loadu_si512(b + w))));
    if (w < words)  // bitsets are padded to a multiple of four words
        total = _mm512_add_epi64(total, _mm512_popcnt_epi64(_mm512_and_si512(_mm512_maskz_loadu_epi64(15, a + w),
                                                                             _mm512_maskz_loadu_epi64(15, b + w))));
    return sum_of(total);
}
#else
constexpr double kCyclesPerWord = .9;

#if defined(__AVX2__)
inline __m256i load(const std::uint64_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }

inline __m256i ones_per_word(__m256i v) {
    const __m256i lookup = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1,
                                            2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i nibbles = _mm256_add_epi8(_mm256_shuffle_epi8(lookup, _mm256_and_si256(v, low)),
                                            _mm256_shuffle_epi8(lookup, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
    return _mm256_sad_epu8(nibbles, _mm256_setzero_si256());
}

inline void add3(__m256i& high, __m256i& low, __m256i a, __m256i b) {  // carry-save adder
    const __m256i u = _mm256_xor_si256(low, a);
    high = _mm256_or_si256(_mm256_and_si256(low, a), _mm256_and_si256(u, b));
    low = _mm256_xor_si256(u, b);
}

// Harley and Seal: sixteen vectors are added bit by bit before one of them is counted.
std::uint32_t ones_in_common_wide(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
    __m256i total = _mm256_setzero_si256(), one = total, two = total, four = total, eight = total, sixteen;
    std::size_t w = 0;
    const auto both = [&](std::size_t i) { return _mm256_and_si256(load(a + w + 4 * i), load(b + w + 4 * i)); };
    for (; w + 64 <= words; w += 64) {
        __m256i two_a, two_b, four_a, four_b, eight_a, eight_b;
        add3(two_a, one, both(0), both(1));
        add3(two_b, one, both(2), both(3));
        add3(four_a, two, two_a, two_b);
        add3(two_a, one, both(4), both(5));
        add3(two_b, one, both(6), both(7));
        add3(four_b, two, two_a, two_b);
        add3(eight_a, four, four_a, four_b);
        add3(two_a, one, both(8), both(9));
        add3(two_b, one, both(10), both(11));
        add3(four_a, two, two_a, two_b);
        add3(two_a, one, both(12), both(13));
        add3(two_b, one, both(14), both(15));
        add3(four_b, two, two_a, two_b);
        add3(eight_b, four, four_a, four_b);
        add3(sixteen, eight, eight_a, eight_b);
        total = _mm256_add_epi64(total, ones_per_word(sixteen));
    }
    total = _mm256_slli_epi64(total, 4);
    total = _mm256_add_epi64(total, _mm256_slli_epi64(ones_per_word(eight), 3));
    total = _mm256_add_epi64(total, _mm256_slli_epi64(ones_per_word(four), 2));
    total = _mm256_add_epi64(total, _mm256_slli_epi64(ones_per_word(two), 1));
    total = _mm256_add_epi64(total, ones_per_word(one));
    for (; w + 4 <= words; w += 4)
        total = _mm256_add_epi64(total, ones_per_word(_mm256_and_si256(load(a + w), load(b + w))));
    std::uint64_t lanes[4];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), total);
    return static_cast<std::uint32_t>(lanes[0] + lanes[1] + lanes[2] + lanes[3]);
}
#endif

inline std::uint32_t ones_in_common(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
#if defined(__AVX2__)
    if (words >= 32) return ones_in_common_wide(a, b, words);
#endif
    std::uint32_t n = 0;
    for (std::size_t w = 0; w < words; w += 4)  // bitsets are padded to a multiple of four words
        n += ones(a[w] & b[w]) + ones(a[w + 1] & b[w + 1]) + ones(a[w + 2] & b[w + 2]) + ones(a[w + 3] & b[w + 3]);
    return n;
}
#endif

inline void keep_common(const std::uint64_t* a, const std::uint64_t* b, std::size_t words,
                        std::uint64_t* __restrict out) {
    for (std::size_t w = 0; w < words; w += 4)
        for (std::size_t i = w; i < w + 4; ++i) out[i] = a[i] & b[i];
}

void pair_counts(const std::uint64_t* x, int nx, const std::uint64_t* y, int ny, std::size_t words,
                 std::uint32_t* out) {
    for (int i = 0; i < nx; ++i)
        for (int j = 0; j < ny; ++j)
            out[i * ny + j] =
                ones_in_common(x + static_cast<std::size_t>(i) * words, y + static_cast<std::size_t>(j) * words, words);
}

// A stretch of rows, the same of every bitset.
struct Stretch {
    std::size_t words, start, length;
};

// The innermost column; `set` holds the rows in which the `fixed` columns before it have their states.
inline void joint_counts_of_last(const BitColumn& column, int fixed, const std::uint64_t* set, const Stretch& rows,
                                 std::uint32_t* out) {
    const std::uint64_t* state = column.bits + rows.start;
    for (std::uint32_t s = 0; s + 1 < column.states; ++s, state += rows.words, out += column.step)
        *out += ones_in_common(set, state, rows.length);
    if (fixed >= 3) *out += ones_in_common(set, set, rows.length);
}

#if defined(__AVX512VPOPCNTDQ__)
// The two innermost columns, with NX and NY states besides the last, in one pass over the rows. MARGINS: the cells in
// which one of the two, or both, may have any state are wanted as well.
template <int NX, int NY, bool MARGINS>
void joint_counts_of_two(const BitColumn* column, bool total, const std::uint64_t* set, const Stretch& rows,
                         std::uint32_t* out) {
    __m512i n[NX][NY], any_y[NX], any_x[NY], any = _mm512_setzero_si512();
    for (int i = 0; i < NX; ++i) any_y[i] = any;
    for (int j = 0; j < NY; ++j) any_x[j] = any;
    for (int i = 0; i < NX; ++i)
        for (int j = 0; j < NY; ++j) n[i][j] = any;
    const std::uint64_t *x = column[0].bits + rows.start, *y = column[1].bits + rows.start;
    const auto count = [](__m512i& to, __m512i bits) { to = _mm512_add_epi64(to, _mm512_popcnt_epi64(bits)); };
    const auto step = [&](const auto& load, std::size_t w) {
        const __m512i common = load(set + w);
        __m512i ys[NY];
        for (int j = 0; j < NY; ++j) ys[j] = load(y + static_cast<std::size_t>(j) * rows.words + w);
        for (int i = 0; i < NX; ++i) {
            const __m512i both = _mm512_and_si512(common, load(x + static_cast<std::size_t>(i) * rows.words + w));
            for (int j = 0; j < NY; ++j) count(n[i][j], _mm512_and_si512(both, ys[j]));
            if constexpr (MARGINS) count(any_y[i], both);
        }
        if constexpr (MARGINS) {
            for (int j = 0; j < NY; ++j) count(any_x[j], _mm512_and_si512(common, ys[j]));
            count(any, common);
        }
    };
    std::size_t w = 0;
    for (; w + 8 <= rows.length; w += 8) step([](const std::uint64_t* p) { return _mm512_loadu_si512(p); }, w);
    if (w < rows.length) step([](const std::uint64_t* p) { return _mm512_maskz_loadu_epi64(15, p); }, w);
    const std::uint32_t by_x = column[0].step, by_y = column[1].step;
    for (int i = 0; i < NX; ++i)
        for (int j = 0; j < NY; ++j) out[i * by_x + j * by_y] += sum_of(n[i][j]);
    if constexpr (MARGINS) {
        for (int i = 0; i < NX; ++i) out[i * by_x + NY * by_y] += sum_of(any_y[i]);
        for (int j = 0; j < NY; ++j) out[NX * by_x + j * by_y] += sum_of(any_x[j]);
        if (total) out[NX * by_x + NY * by_y] += sum_of(any);
    }
}

// Says whether there is a loop for columns of so many states.
inline bool joint_counts_at_once(const BitColumn* column, int fixed, const std::uint64_t* set, const Stretch& rows,
                                 std::uint32_t* out) {
    const auto run = [&]<int NX, int NY>() {
        if (fixed >= 2)
            joint_counts_of_two<NX, NY, true>(column, fixed >= 3, set, rows, out);
        else
            joint_counts_of_two<NX, NY, false>(column, false, set, rows, out);
        return true;
    };
    if (column[0].states > 4 || column[1].states > 4) return false;
    switch (column[0].states * 8 + column[1].states) {
        case 2 * 8 + 2: return run.template operator()<1, 1>();
        case 2 * 8 + 3: return run.template operator()<1, 2>();
        case 2 * 8 + 4: return run.template operator()<1, 3>();
        case 3 * 8 + 2: return run.template operator()<2, 1>();
        case 3 * 8 + 3: return run.template operator()<2, 2>();
        case 3 * 8 + 4: return run.template operator()<2, 3>();
        case 4 * 8 + 2: return run.template operator()<3, 1>();
        case 4 * 8 + 3: return run.template operator()<3, 2>();
        case 4 * 8 + 4: return run.template operator()<3, 3>();
        default: return false;
    }
}
#else
inline bool joint_counts_at_once(const BitColumn*, int, const std::uint64_t*, const Stretch&, std::uint32_t*) {
    return false;
}
#endif

// Two columns or more; `set` is null if none is fixed.
void joint_counts_within(const BitColumn* column, int n_columns, int fixed, const std::uint64_t* set,
                         const Stretch& rows, std::uint64_t* room, std::uint32_t* out) {
    if (n_columns == 2 && set && joint_counts_at_once(column, fixed, set, rows, out)) return;
    const auto go_on = [&](int n_fixed, const std::uint64_t* common, std::uint64_t* free_room) {
        if (n_columns == 2)
            joint_counts_of_last(column[1], n_fixed, common, rows, out);
        else
            joint_counts_within(column + 1, n_columns - 1, n_fixed, common, rows, free_room, out);
    };
    const std::uint64_t* state = column->bits + rows.start;
    for (std::uint32_t s = 0; s + 1 < column->states; ++s, state += rows.words, out += column->step) {
        if (set) keep_common(set, state, rows.length, room);
        go_on(fixed + 1, set ? room : state, room + kBlock);
    }
    if (fixed + n_columns > 3) go_on(fixed, set, room);  // without this column there are still three
}

void joint_counts(const BitColumn* columns, int n_columns, std::size_t words, std::uint32_t* out) {
    std::uint64_t room[kMostBitColumns * kBlock];
    for (std::size_t start = 0; start < words; start += kBlock) {
        const std::size_t left = words - start;
        joint_counts_within(columns, n_columns, 0, nullptr, {words, start, left < kBlock ? left : kBlock}, room, out);
    }
}

void odd_counts(const std::uint64_t* set, const std::uint64_t* sets, std::size_t n_sets, std::size_t words,
                std::uint32_t* out) {
    for (std::size_t i = 0; i < n_sets; ++i, sets += words) {
        std::uint32_t n = 0;
        for (std::size_t w = 0; w < words; w += 4)
            n += ones(set[w] ^ sets[w]) + ones(set[w + 1] ^ sets[w + 1]) + ones(set[w + 2] ^ sets[w + 2]) +
                 ones(set[w + 3] ^ sets[w + 3]);
        out[i] = n;
    }
}

void row_index(const std::uint8_t* const* columns, const std::uint16_t* strides, int n_columns, std::size_t rows,
               std::uint16_t* __restrict index) {
    const std::uint8_t* first = columns[0];
    const std::uint8_t* second = columns[1];  // x and y are always there
    const std::uint16_t s0 = strides[0], s1 = strides[1];
    if (n_columns == 2) {
        for (std::size_t r = 0; r < rows; ++r)
            index[r] = static_cast<std::uint16_t>(first[r] * s0 + second[r] * s1);
        return;
    }
    const std::uint8_t* third = columns[2];
    const std::uint16_t s2 = strides[2];
    if (n_columns == 3) {
        for (std::size_t r = 0; r < rows; ++r)
            index[r] = static_cast<std::uint16_t>(first[r] * s0 + second[r] * s1 + third[r] * s2);
        return;
    }
    const std::uint8_t* fourth = columns[3];
    const std::uint16_t s3 = strides[3];
    for (std::size_t r = 0; r < rows; ++r)
        index[r] = static_cast<std::uint16_t>(first[r] * s0 + second[r] * s1 + third[r] * s2 + fourth[r] * s3);
    for (int c = 4; c < n_columns; ++c) {
        const std::uint8_t* column = columns[c];
        const std::uint16_t s = strides[c];
        for (std::size_t r = 0; r < rows; ++r)
            index[r] = static_cast<std::uint16_t>(index[r] + column[r] * s);
    }
}

// Which of 64 values are equal to one.
#if defined(__AVX2__)
inline std::uint64_t equal_to(std::uint8_t value, const std::uint8_t* values) {
    const __m256i wanted = _mm256_set1_epi8(static_cast<char>(value));
    const auto half = [&](const std::uint8_t* p) {
        const __m256i these = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(these, wanted)));
    };
    return half(values) | std::uint64_t{half(values + 32)} << 32;
}
#else
inline std::uint64_t equal_to(std::uint8_t value, const std::uint8_t* values) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 64; ++i) bits |= std::uint64_t{values[i] == value} << i;
    return bits;
}
#endif

void bits_by_value(const std::uint8_t* values, std::size_t rows, std::uint32_t states, std::size_t words,
                   std::uint64_t* out, std::uint32_t* n) {
    for (std::uint32_t s = 0; s < states; ++s, out += words) {
        n[s] = 0;
        for (std::size_t w = 0; w < words; ++w) {
            const std::size_t start = 64 * w;
            std::uint64_t bits = start < rows ? equal_to(static_cast<std::uint8_t>(s), values + start) : 0;
            if (start < rows && rows - start < 64) bits &= (std::uint64_t{1} << (rows - start)) - 1;
            out[w] = bits;
            n[s] += ones(bits);
        }
    }
}

}  // namespace

extern const HotCounts PAUCAL_JOIN(counts_, PAUCAL_ISA);
const HotCounts PAUCAL_JOIN(counts_, PAUCAL_ISA) = {pair_counts, joint_counts,  odd_counts,
                                                       row_index,   bits_by_value, kCyclesPerWord};

}  // namespace paucal
