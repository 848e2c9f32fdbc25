// Columns for the tests: random, but the same every time.
#pragma once
#include <memory>
#include <vector>

#include "data/columns.hpp"
#include "math/random.hpp"

inline std::shared_ptr<const paucal::Columns> some_columns(const std::vector<std::uint32_t>& levels, std::size_t rows) {
    paucal::Random random(1, 2);
    auto columns = std::make_shared<paucal::Columns>(rows);
    std::vector<std::uint32_t> before(rows, 0);
    for (const std::uint32_t states : levels) {
        std::vector<std::uint32_t> codes(rows);
        for (std::size_t r = 0; r < rows; ++r)  // half of the rows follow the column before
            codes[r] = random.below(2) ? before[r] % states : random.below(states);
        columns->add(std::span<const std::uint32_t>(codes), states);
        before = codes;
    }
    columns->finish();
    return columns;
}
