// Mutual information by adaptive partitioning (after Seok and Kang 2015): regions of the table are cut into quadrants
// as long as the quadrants look dependent.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/information.hpp"

namespace paucal {
namespace {

struct Cell {
    std::uint32_t row, column, n;  // row and column by rank
};

// Ranks of the levels of one variable inside a slice.
std::vector<std::uint32_t> ranks(const std::uint32_t* margin, const std::uint32_t* level, std::uint32_t size,
                                 bool by_frequency) {
    std::vector<std::uint32_t> order(size), rank(size);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (by_frequency && margin[a] != margin[b]) return margin[a] > margin[b];
        return level ? level[a] < level[b] : a < b;
    });
    for (std::uint32_t i = 0; i < size; ++i) rank[order[i]] = i;
    return rank;
}

// The levels that occur in a region, ascending by rank: where to cut them, and their share of the whole slice.
struct Side {
    std::uint32_t first_right = 0;  // lowest rank of the right part
    bool can_be_cut = false;
    double outside = 0;             // samples of these levels in the whole slice
};

Side look(std::vector<std::pair<std::uint32_t, std::uint32_t>>& levels, const std::vector<std::uint32_t>& whole,
          std::uint64_t total) {
    std::sort(levels.begin(), levels.end());
    std::size_t used = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (used && levels[used - 1].first == levels[i].first)
            levels[used - 1].second += levels[i].second;
        else
            levels[used++] = levels[i];
    }
    levels.resize(used);
    Side side;
    std::uint64_t before = 0, nearest = ~std::uint64_t{0};
    for (std::size_t i = 0; i < used; ++i) {
        if (i > 0) {
            const std::uint64_t off = 2 * before > total ? 2 * before - total : total - 2 * before;
            if (off < nearest) nearest = off, side.first_right = levels[i].first;
        }
        before += levels[i].second;
        side.outside += whole[levels[i].first];
    }
    side.can_be_cut = used > 1;
    return side;
}

class Adaptive final : public Information {
public:
    Adaptive(bool by_frequency, double split) : by_frequency_(by_frequency), split_(split) {}

    Reading read(Counts& counts) const override {
        return each(counts, [&](const Slice& slice) {
            const std::uint32_t *row_level = nullptr, *column_level = nullptr;
            if (!counts.cells) {  // relabelled rows stand in order of appearance
                row_level = counts.row_state.data() + (slice.row_margin - counts.row_margin.data());
                column_level = counts.column_state.data() + (slice.column_margin - counts.column_margin.data());
            }
            return partition(slice, row_level, column_level);
        });
    }

private:
    double partition(const Slice& slice, const std::uint32_t* row_level, const std::uint32_t* column_level) const {
        const auto row = ranks(slice.row_margin, row_level, slice.n_rows, by_frequency_);
        const auto column = ranks(slice.column_margin, column_level, slice.n_columns, by_frequency_);
        std::vector<std::uint32_t> rows(slice.n_rows), columns(slice.n_columns);
        for (std::uint32_t i = 0; i < slice.n_rows; ++i) rows[row[i]] = slice.row_margin[i];
        for (std::uint32_t j = 0; j < slice.n_columns; ++j) columns[column[j]] = slice.column_margin[j];
        std::vector<std::vector<Cell>> stack(1);
        for (std::uint32_t c = 0; c < slice.n_cells; ++c)
            stack[0].push_back({row[slice.row[c]], column[slice.column[c]], slice.count[c]});

        const double total = slice.total;
        double information = 0;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> levels;
        while (!stack.empty()) {
            const std::vector<Cell> region = std::move(stack.back());
            stack.pop_back();
            std::uint64_t n = 0;
            for (const Cell& cell : region) n += cell.n;
            levels.clear();
            for (const Cell& cell : region) levels.emplace_back(cell.row, cell.n);
            const Side a = look(levels, rows, n);
            levels.clear();
            for (const Cell& cell : region) levels.emplace_back(cell.column, cell.n);
            const Side b = look(levels, columns, n);
            if (a.can_be_cut && b.can_be_cut) {
                std::vector<Cell> quadrant[4];
                double count[4] = {};
                for (const Cell& cell : region) {
                    const int q = 2 * (cell.row >= a.first_right) + (cell.column >= b.first_right);
                    quadrant[q].push_back(cell);
                    count[q] += cell.n;
                }
                const double product = (count[0] + count[1]) * (count[2] + count[3]) * (count[0] + count[2]) *
                                       (count[1] + count[3]);
                const double difference = count[0] * count[3] - count[1] * count[2];
                if (static_cast<double>(n) * difference * difference > split_ * product) {
                    for (auto& part : quadrant)
                        if (!part.empty()) stack.push_back(std::move(part));
                    continue;
                }
            }
            const double share = static_cast<double>(n) / total;
            information += share * std::log(share * total * total / (a.outside * b.outside));
        }
        return std::max(0., information);
    }

    bool by_frequency_;
    double split_;
};

}  // namespace

SharedStatistic adaptive_information(Options& options) {
    const bool by_frequency = options.flag("by_frequency");
    return std::make_shared<Adaptive>(by_frequency, options.number_from_0("split"));
}

}  // namespace paucal
