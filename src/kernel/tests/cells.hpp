// Cells of a table one by one, by the levels of both columns.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "data/counting.hpp"

namespace paucal {

struct Cell {
    std::uint32_t row, column, count;
    auto operator<=>(const Cell&) const = default;
};

// Calls f(stratum, cell) for every cell with samples.
template <class F> void each_cell(const Counts& c, F&& f) {
    if (c.cells) {
        const std::uint32_t* n = c.cells;
        for (std::size_t s = 0; s < c.strata; ++s)
            for (std::uint32_t i = 0; i < c.kx; ++i)
                for (std::uint32_t j = 0; j < c.ky; ++j, ++n)
                    if (*n) f(s, Cell{i, j, *n});
        return;
    }
    for (std::size_t s = 0; s < c.strata; ++s)
        for (std::uint32_t k = c.cell_begin[s]; k < c.cell_begin[s + 1]; ++k)
            f(s, Cell{c.row_state[c.row_begin[s] + c.row[k]], c.column_state[c.column_begin[s] + c.column[k]], c.count[k]});
}

}  // namespace paucal
