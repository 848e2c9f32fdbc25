#include <doctest/doctest.h>

#include <map>
#include <stdexcept>
#include <vector>

#include "data/rows.hpp"
#include "isa/isa.hpp"

using namespace paucal;

namespace {

template <class Code> std::vector<Code> some_codes(std::size_t n, unsigned states, unsigned seed) {
    std::vector<Code> codes(n);
    std::uint64_t state = seed;
    for (Code& code : codes) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        code = static_cast<Code>((state >> 33) % states);
    }
    return codes;
}

}  // namespace

TEST_CASE("levels are counted one by one, on every instruction set") {
    for (const char* isa : {"portable", "v2", "v3", "v4"}) {
        if (!use_isa(isa)) continue;
        for (const std::size_t n : {0u, 1u, 63u, 64u, 65u, 2048u, 2049u, 5000u})
            for (const unsigned states : {1u, 3u, 16u, 17u, 200u}) {
                const auto codes = some_codes<std::uint8_t>(n, states, 7);
                std::vector<std::int64_t> wanted(states, 0);
                for (const std::uint8_t code : codes) ++wanted[code];
                CHECK(level_counts(std::span(codes), states) == wanted);
            }
    }
    use_isa("best");
}

TEST_CASE("equal rows are found, whatever the types of their columns") {
    const auto a = some_codes<std::uint8_t>(3000, 4, 1);
    const auto b = some_codes<std::uint16_t>(3000, 300, 2);
    const auto c = some_codes<std::uint32_t>(3000, 2, 3);
    const std::vector<Codes> columns = {std::span(a), std::span(b), std::span(c)};
    std::map<std::vector<std::uint32_t>, std::uint32_t> wanted;
    for (std::size_t r = 0; r < a.size(); ++r) ++wanted[{a[r], b[r], c[r]}];
    const DistinctRows found = distinct_rows(columns, {});
    CHECK(found.first.size() == wanted.size());
    for (std::size_t i = 0; i < found.first.size(); ++i) {
        const auto r = static_cast<std::size_t>(found.first[i]);
        CHECK(found.count[i] == wanted[{a[r], b[r], c[r]}]);
        if (i) CHECK(found.first[i - 1] < found.first[i]);
    }
    const std::vector<std::uint32_t> weights(a.size(), 1u << 31);
    CHECK_THROWS_AS(distinct_rows(columns, weights), std::invalid_argument);
    CHECK_THROWS_AS(distinct_rows({}, {}), std::invalid_argument);
}
