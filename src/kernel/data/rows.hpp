// Tables of codes, column by column: how often each level occurs, and which rows are equal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace paucal {

using Codes = std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>, std::span<const std::uint32_t>>;

// How often each code occurs, up to the largest that does, and at least `size` numbers.
std::vector<std::int64_t> level_counts(const Codes& codes, std::size_t size);

struct DistinctRows {
    std::vector<std::int64_t> first;   // the row in which each appears first, ascending
    std::vector<std::uint32_t> count;  // of rows that are equal to it, or the sum of their weights
};

// Columns are of one length; `weights` is empty, or of that length too, and adds up to less than 2^32.
DistinctRows distinct_rows(std::span<const Codes> columns, std::span<const std::uint32_t> weights);

}  // namespace paucal
