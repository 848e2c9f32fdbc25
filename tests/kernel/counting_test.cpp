#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "data/counting.hpp"
#include "isa/isa.hpp"
#include "some_data.hpp"

using namespace paucal;

namespace {

using Table = std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>>;  // counts of a stratum, by its levels

// Sorted strata of sorted counts: what does not depend on how they were found.
std::multiset<std::multiset<std::uint32_t>> shape_of(Counts& counts) {
    std::multiset<std::multiset<std::uint32_t>> out;
    counts.each_slice([&](const Slice& s) { out.emplace(s.count, s.count + s.n_cells); });
    return out;
}

}  // namespace

TEST_CASE("every way to count gives what a loop over the rows gives, on every instruction set") {
    const auto columns = some_columns({2, 3, 2, 4, 20, 300, 1}, 500);
    const std::vector<std::vector<std::uint32_t>> questions = {
        {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 4, 1}, {4, 5, 0}, {0, 3, 1, 2, 4, 5, 6}, {1, 6, 2}};
    for (const char* isa : {"portable", "v2", "v3", "v4"}) {
        if (!use_isa(isa)) continue;
        Counter counter(*columns);
        for (const auto& q : questions) {
            CAPTURE(isa);
            Table wanted;
            const std::uint32_t ky = (*columns)[q[1]].states, size = (*columns)[q[0]].states * ky;
            for (std::size_t r = 0; r < columns->rows(); ++r) {
                std::vector<std::uint32_t> stratum;
                for (std::size_t i = 2; i < q.size(); ++i) stratum.push_back((*columns)[q[i]].value(r));
                auto& cells = wanted[stratum];
                cells.resize(size);
                ++cells[(*columns)[q[0]].value(r) * ky + (*columns)[q[1]].value(r)];
            }
            std::multiset<std::multiset<std::uint32_t>> shape;
            for (auto& [stratum, cells] : wanted) {
                std::multiset<std::uint32_t> positive;
                for (const std::uint32_t n : cells)
                    if (n) positive.insert(n);
                shape.insert(positive);
            }
            const Question question{q[0], q[1], q.data() + 2, static_cast<int>(q.size()) - 2};
            CHECK(shape_of(counter.count(question)) == shape);
            CHECK(shape_of(counter.count_relabelled(question)) == shape);
            const auto total = [&](const Counts& counts) {
                std::uint64_t sum = 0;
                counts.each_total([&](std::uint32_t n) { sum += n; });
                return sum;
            };
            CHECK(total(counter.count(question)) == 500);
        }
    }
    use_isa("best");
}

TEST_CASE("bits are counted alike for any number of rows, on every instruction set") {
    for (const std::size_t rows : {1, 255, 500, 700, 2049, 5000, 33000}) {  // 33,000: more than a block of the loops
        const auto columns = some_columns({2, 3, 2, 4, 3}, rows);
        for (const char* isa : {"portable", "v2", "v3", "v4"}) {
            if (!use_isa(isa)) continue;
            CAPTURE(isa);
            CAPTURE(rows);
            const Column &x = (*columns)[1], &y = (*columns)[3], &z = (*columns)[4], &w = (*columns)[0];
            std::vector<std::uint32_t> pairs(std::size_t{x.states} * y.states), pairs_wanted(pairs.size());
            hot().counts.pair_counts(x.bits, 3, y.bits, 4, columns->words(), pairs.data());
            // the last state means any, and only cells in which three columns have a state are counted
            std::vector<std::uint32_t> joint(2 * 3 * 3 * 4), joint_wanted(joint.size());
            const BitColumn all[] = {{w.bits, 2, 36}, {z.bits, 3, 12}, {x.bits, 3, 4}, {y.bits, 4, 1}};
            hot().counts.joint_counts(all, 4, columns->words(), joint.data());
            for (std::size_t r = 0; r < rows; ++r) {
                ++pairs_wanted[x.value(r) * 4 + y.value(r)];
                for (std::uint32_t cell = 0; cell < joint.size(); ++cell) {
                    const std::uint32_t at[] = {cell / 36, cell / 12 % 3, cell / 4 % 3, cell % 4};
                    const std::uint32_t is[] = {w.value(r), z.value(r), x.value(r), y.value(r)}, any[] = {1, 2, 2, 3};
                    int fixed = 0;
                    bool fits = true;
                    for (int c = 0; c < 4; ++c) fixed += at[c] != any[c], fits = fits && (at[c] == any[c] || at[c] == is[c]);
                    joint_wanted[cell] += fits && fixed >= 3;
                }
            }
            CHECK(pairs == pairs_wanted);
            CHECK(joint == joint_wanted);
        }
    }
    use_isa("best");
}

TEST_CASE("bits of columns with any number of states are counted alike, in any order, on every instruction set") {
    const auto columns = some_columns({2, 3, 4, 5}, 1500);
    std::vector<std::uint32_t> order = {0, 1, 2, 3};
    do {
        BitColumn all[4];
        std::uint32_t cells = 1;
        for (std::size_t c = 4; c-- > 0;) {
            all[c] = {(*columns)[order[c]].bits, (*columns)[order[c]].states, cells};
            cells *= all[c].states;
        }
        std::vector<std::uint32_t> wanted(cells);
        for (std::size_t r = 0; r < columns->rows(); ++r)
            for (std::uint32_t any = 0; any < 16; ++any) {  // the columns that may have any state, which the last stands for
                std::uint32_t cell = 0, fixed = 0;
                bool counted = true;
                for (std::size_t c = 0; c < 4; ++c) {
                    const std::uint32_t state = (*columns)[order[c]].value(r), last = all[c].states - 1;
                    const bool free = any >> c & 1;
                    counted = counted && (free || state < last);
                    fixed += !free;
                    cell += (free ? last : state) * all[c].step;
                }
                wanted[cell] += counted && fixed >= 3;
            }
        for (const char* isa : {"portable", "v2", "v3", "v4"}) {
            if (!use_isa(isa)) continue;
            CAPTURE(isa);
            std::vector<std::uint32_t> joint(cells);
            hot().counts.joint_counts(all, 4, columns->words(), joint.data());
            CHECK(joint == wanted);
        }
    } while (std::next_permutation(order.begin(), order.end()));
    use_isa("best");
}

TEST_CASE("questions and columns that make no sense are refused") {
    const auto columns = some_columns({2, 2, 2}, 10);
    const std::vector<std::uint32_t> twice = {2, 2}, one = {1};
    CHECK_THROWS_AS(columns->check_question(0, 0, {}), std::invalid_argument);
    CHECK_THROWS_AS(columns->check_question(0, 1, one), std::invalid_argument);
    CHECK_THROWS_AS(columns->check_question(0, 1, twice), std::invalid_argument);
    CHECK_THROWS_AS(columns->check_question(0, 3, {}), std::out_of_range);
    const std::vector<std::uint32_t> x = {0, 1, 0}, y = {1, 2, 2}, z = {2, 0, 1}, wrong = {2, 0, 2}, far = {2, 0, 3};
    CHECK_NOTHROW(columns->check_questions(x, y, {}, 0));
    CHECK_NOTHROW(columns->check_questions(x, y, z, 1));
    CHECK_THROWS_AS(columns->check_questions(x, x, {}, 0), std::invalid_argument);
    CHECK_THROWS_AS(columns->check_questions(x, far, {}, 0), std::out_of_range);
    CHECK_THROWS_AS(columns->check_questions(x, y, wrong, 1), std::invalid_argument);
    CHECK_THROWS_AS(columns->check_questions(x, y, far, 1), std::out_of_range);
    Columns fresh(2);
    const std::vector<std::uint8_t> codes = {0, 5};
    CHECK_THROWS_AS(fresh.add(std::span<const std::uint8_t>(codes), 3), std::invalid_argument);
    CHECK_THROWS_AS(Columns(std::size_t{1} << 32), std::invalid_argument);
}
