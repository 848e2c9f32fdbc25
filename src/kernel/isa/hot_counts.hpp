// The loops that touch every row, as a table of functions: one table per instruction set (isa.hpp).
#pragma once
#include <cstddef>
#include <cstdint>

namespace paucal {

// The states of a column as bitsets, one after the other; `step` is the distance of their cells in a table.
struct BitColumn {
    const std::uint64_t* bits;
    std::uint32_t states, step;
};

inline constexpr int kMostBitColumns = 6;  // of `joint_counts`

struct HotCounts {
    // out[i * ny + j] = number of rows in both x-state i and y-state j; states are bitsets of `words` words, a multiple
    // of four, and the bits past the last row are zero.
    void (*pair_counts)(const std::uint64_t* x, int nx, const std::uint64_t* y, int ny, std::size_t words,
                        std::uint32_t* out);

    // Counts of three or more columns at once, the outermost first. The last state of a column stands for "any state"
    // here. Added to `out` are the cells in which at least three columns have a state; all others follow from pairs.
    void (*joint_counts)(const BitColumn* columns, int n_columns, std::size_t words, std::uint32_t* out);

    // out[i] = number of rows in which exactly one of `set` and sets[i] has its bit
    void (*odd_counts)(const std::uint64_t* set, const std::uint64_t* sets, std::size_t n_sets, std::size_t words,
                       std::uint32_t* out);

    // index[r] = sum over c of columns[c][r] * strides[c]
    void (*row_index)(const std::uint8_t* const* columns, const std::uint16_t* strides, int n_columns,
                      std::size_t rows, std::uint16_t* index);

    // out[s * words + w] has a bit for each of the rows 64 w to 64 w + 63 whose value is s, for the values below `states`;
    // n[s] is how many these are. Values are read up to the next multiple of 64; those behind the last row have no bits.
    void (*bits_by_value)(const std::uint8_t* values, std::size_t rows, std::uint32_t states, std::size_t words,
                          std::uint64_t* out, std::uint32_t* n);

    double cycles_per_word;  // that `joint_counts` takes for a cell, about: for the choice between bits and rows
};

}  // namespace paucal
