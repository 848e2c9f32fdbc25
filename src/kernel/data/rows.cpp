#include "data/rows.hpp"

#include <algorithm>
#include <cstring>

#include "data/columns.hpp"
#include "errors.hpp"
#include "isa/isa.hpp"

namespace paucal {
namespace {

constexpr std::size_t kMostCounted = std::size_t{1} << 32;
constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

std::size_t length(const Codes& codes) {
    return std::visit([](const auto& values) { return values.size(); }, codes);
}

// Counts few levels in the rows up to the last multiple of 64, and says how many rows these are.
std::size_t count_bits(std::span<const std::uint8_t> values, std::uint32_t states, std::vector<std::int64_t>& counts) {
    constexpr std::size_t kWords = 32;
    std::uint64_t bits[kMostBitsetStates * kWords];
    std::uint32_t n[kMostBitsetStates];
    std::size_t done = 0;
    while (values.size() - done >= 64) {
        const std::size_t words = std::min((values.size() - done) / 64, kWords);
        hot().counts.bits_by_value(values.data() + done, 64 * words, states, words, bits, n);
        for (std::uint32_t s = 0; s < states; ++s) counts[s] += n[s];
        done += 64 * words;
    }
    return done;
}

// Rows as strings of bytes, a block of them at a time: equal rows, and only they, have equal strings.
class RowStrings {
public:
    static constexpr std::size_t kBlock = 512;  // strings of a block stay in the first-level cache

    explicit RowStrings(std::span<const Codes> columns) : columns_(columns) {
        std::size_t bytes = 0;
        for (const Codes& codes : columns)
            bytes += std::visit([](const auto& values) { return sizeof(values[0]); }, codes);
        words_ = (bytes + 7) / 8;
        block_.resize(kBlock * words_);
    }

    std::size_t words() const { return words_; }
    const std::uint64_t* operator[](std::size_t i) const { return block_.data() + i * words_; }

    void read(std::size_t start, std::size_t n) {
        std::size_t offset = 0;
        for (const Codes& codes : columns_)
            std::visit(
                [&]<class Code>(std::span<const Code> values) {
                    auto* at = reinterpret_cast<unsigned char*>(block_.data()) + offset;
                    for (std::size_t i = 0; i < n; ++i, at += words_ * 8) std::memcpy(at, &values[start + i], sizeof(Code));
                    offset += sizeof(Code);
                },
                codes);
    }

private:
    std::span<const Codes> columns_;
    std::size_t words_;
    std::vector<std::uint64_t> block_;
};

}  // namespace

std::vector<std::int64_t> level_counts(const Codes& codes, std::size_t size) {
    return std::visit(
        [&]<class Code>(std::span<const Code> values) {
            Code largest = 0;
            for (const Code value : values) largest = std::max(largest, value);
            std::vector<std::int64_t> counts(std::max<std::size_t>(size, values.empty() ? 0 : largest + std::size_t{1}), 0);
            std::size_t done = 0;
            if constexpr (sizeof(Code) == 1)
                if (largest < kMostBitsetStates) done = count_bits(values, largest + 1u, counts);
            for (std::size_t r = done; r < values.size(); ++r) ++counts[values[r]];
            return counts;
        },
        codes);
}

DistinctRows distinct_rows(std::span<const Codes> columns, std::span<const std::uint32_t> weights) {
    if (columns.empty()) refuse("there is no column");
    const std::size_t n = length(columns[0]);
    if (n >= kMostCounted) refuse("there are ", n, " rows; there may be at most 2^32 - 1");
    for (const Codes& codes : columns)
        if (length(codes) != n) refuse("a column has ", length(codes), " rows; the first has ", n);
    if (!weights.empty() && weights.size() != n) refuse("there are ", weights.size(), " weights for ", n, " rows");
    std::uint64_t total = 0;
    for (const std::uint32_t weight : weights) total += weight;
    if (total >= kMostCounted) refuse("the weights add up to ", total, "; they may to at most 2^32 - 1");

    RowStrings rows(columns);
    const std::size_t words = rows.words();
    DistinctRows found;
    std::vector<std::uint64_t> kept;  // the strings of the distinct rows
    std::vector<std::uint32_t> places(2048, kEmpty);
    const auto place_of = [&](const std::uint64_t* row) {
        std::uint64_t number = 0;
        for (std::size_t w = 0; w < words; ++w) {
            number = (number ^ row[w]) * 0x9E3779B97F4A7C15ull;
            number ^= number >> 32;
        }
        std::size_t i = number & (places.size() - 1);
        while (places[i] != kEmpty && !std::equal(row, row + words, kept.data() + places[i] * words))
            i = (i + 1) & (places.size() - 1);
        return i;
    };
    for (std::size_t start = 0; start < n; start += RowStrings::kBlock) {
        const std::size_t length = std::min(n - start, RowStrings::kBlock);
        rows.read(start, length);
        for (std::size_t r = start; r < start + length; ++r) {
            const std::uint64_t* row = rows[r - start];
            const std::uint32_t weight = weights.empty() ? 1 : weights[r];
            const std::size_t i = place_of(row);
            if (places[i] != kEmpty) {
                found.count[places[i]] += weight;
                continue;
            }
            places[i] = static_cast<std::uint32_t>(found.first.size());
            found.first.push_back(static_cast<std::int64_t>(r));
            found.count.push_back(weight);
            kept.insert(kept.end(), row, row + words);
            if (2 * found.first.size() <= places.size()) continue;
            places.assign(2 * places.size(), kEmpty);
            for (std::uint32_t id = 0; id < found.first.size(); ++id) places[place_of(kept.data() + id * words)] = id;
        }
    }
    return found;
}

}  // namespace paucal
