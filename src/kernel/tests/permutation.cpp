// Any statistic against the tables that arise when the labels of y are permuted within every stratum.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "math/random.hpp"
#include "math/special.hpp"
#include "tests/options.hpp"
#include "tests/permutation_moments.hpp"

namespace paucal {
namespace {

// Random tables with the margins of a given one.
//
// Every stratum has random numbers of its own, chosen by its margins alone, and levels are dealt in the order of their
// counts. So the tables, and with them the p-value, depend on the data through the statistic and the margins only: not on
// the order of rows, strata or questions, nor on threads. What a table shows is the same whichever way it is read, if the
// statistic knows no order of levels: then the order of levels and columns plays no part either.
class Shuffle {
public:
    Shuffle(const Counts& counts, std::uint64_t seed) : seed_(seed) {
        table_.total = counts.total, table_.kx = counts.kx, table_.ky = counts.ky;
        table_.order = counts.order, table_.configurations = counts.configurations, table_.strata = counts.strata;
        if (counts.cells)
            read_dense(counts);
        else
            read_listed(counts);
    }

    bool moves() const { return !strata_.empty(); }

    Counts& next() {
        for (Stratum& stratum : strata_) permute(stratum);
        if (dense_.empty())
            list();
        else
            tabulate();
        return table_;
    }

private:
    struct Level {
        std::uint32_t state, number, count;  // the number is the state, or its place among the listed ones
    };
    struct Stratum {
        std::size_t index;
        std::vector<Level> rows;  // the most frequent last: it gets what the others leave
        std::vector<std::uint32_t> labels;
        Random random;
        bool turned;  // the rows are levels of y, the labels those of x
    };

    void add(std::size_t index, std::vector<Level> rows, std::vector<Level> columns) {
        if (rows.size() < 2 || columns.size() < 2) return;
        const auto rarer = [](const Level& a, const Level& b) { return a.count < b.count; };
        for (auto* side : {&rows, &columns}) std::stable_sort(side->begin(), side->end(), rarer);
        const bool turned = rows.size() != columns.size()
                                ? columns.size() < rows.size()
                                : std::lexicographical_compare(columns.begin(), columns.end(), rows.begin(), rows.end(), rarer);
        if (turned) std::swap(rows, columns);
        std::uint64_t hash = 0;
        for (const auto* side : {&rows, &columns}) {
            hash = mix(hash + 1);
            for (const Level& level : *side) hash = mix(hash ^ level.count);
        }
        const std::uint64_t twin = met_[hash]++;  // strata with the same margins must not move alike
        std::vector<std::uint32_t> labels;
        for (const Level& level : columns) labels.insert(labels.end(), level.count, level.number);
        strata_.push_back({index, std::move(rows), std::move(labels), Random(seed_, mix(hash + twin)), turned});
    }

    void read_dense(const Counts& counts) {
        const std::size_t kx = counts.kx, ky = counts.ky, size = kx * ky;
        dense_.assign(counts.cells, counts.cells + counts.strata * size);
        table_.cells = dense_.data();
        std::vector<std::uint32_t> row(kx), column(ky);
        const auto observed = [](const std::vector<std::uint32_t>& margin) {
            std::vector<Level> levels;
            for (std::uint32_t i = 0; i < margin.size(); ++i)
                if (margin[i]) levels.push_back({i, i, margin[i]});
            return levels;
        };
        for (std::size_t s = 0; s < counts.strata; ++s) {
            std::fill(row.begin(), row.end(), 0);
            std::fill(column.begin(), column.end(), 0);
            for (std::size_t c = 0; c < size; ++c) {
                row[c / ky] += dense_[s * size + c];
                column[c % ky] += dense_[s * size + c];
            }
            add(s, observed(row), observed(column));
        }
    }

    void read_listed(const Counts& counts) {
        table_.row_margin = counts.row_margin, table_.column_margin = counts.column_margin;
        table_.row_begin = counts.row_begin, table_.column_begin = counts.column_begin;
        table_.row_state = counts.row_state, table_.column_state = counts.column_state;
        table_.stratum_total = counts.stratum_total, table_.first_row = counts.first_row;
        const auto levels = [](const auto& begin, const auto& state, const auto& margin, std::size_t s) {
            std::vector<Level> out;
            for (std::uint32_t i = begin[s]; i < begin[s + 1]; ++i) out.push_back({state[i], i - begin[s], margin[i]});
            std::sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.state < b.state; });
            return out;
        };
        fixed_.resize(counts.strata);
        for (std::size_t s = 0; s < counts.strata; ++s) {
            const std::size_t before = strata_.size();
            add(s, levels(counts.row_begin, counts.row_state, counts.row_margin, s),
                levels(counts.column_begin, counts.column_state, counts.column_margin, s));
            if (strata_.size() > before) continue;
            for (std::uint32_t c = counts.cell_begin[s]; c < counts.cell_begin[s + 1]; ++c)
                fixed_[s].push_back({counts.row[c], counts.column[c], counts.count[c]});
        }
    }

    // Labels for all rows but the last, drawn without replacement; any arrangement may be the start of the next.
    static void permute(Stratum& stratum) {
        const auto n = static_cast<std::uint32_t>(stratum.labels.size());
        const std::uint32_t drawn = n - stratum.rows.back().count;
        std::uint32_t* label = stratum.labels.data();
        for (std::uint32_t i = 0; i < drawn; ++i) std::swap(label[i], label[i + stratum.random.below(n - i)]);
    }

    void tabulate() {
        const std::size_t ky = table_.ky, size = table_.kx * ky;
        for (const Stratum& stratum : strata_) {
            std::uint32_t* cells = dense_.data() + stratum.index * size;
            std::fill_n(cells, size, 0);
            const std::uint32_t* label = stratum.labels.data();
            const std::size_t along = stratum.turned ? 1 : ky, across = stratum.turned ? ky : 1;
            for (const Level& row : stratum.rows)
                for (std::uint32_t i = 0; i < row.count; ++i) ++cells[row.number * along + *label++ * across];
        }
    }

    void list() {
        Counts& t = table_;
        t.count.clear(), t.row.clear(), t.column.clear();
        t.cell_begin.assign(1, 0);
        auto stratum = strata_.begin();
        for (std::size_t s = 0; s < t.strata; ++s) {
            if (stratum != strata_.end() && stratum->index == s) {
                const std::uint32_t labels = std::max(t.row_begin[s + 1] - t.row_begin[s], t.column_begin[s + 1] - t.column_begin[s]);
                seen_.assign(std::max<std::size_t>(seen_.size(), labels), 0);
                const std::uint32_t* label = stratum->labels.data();
                dealt_.clear();
                for (const Level& row : stratum->rows) {
                    for (std::uint32_t i = 0; i < row.count; ++i) ++seen_[label[i]];
                    for (std::uint32_t i = 0; i < row.count; ++i)
                        if (const std::uint32_t n = std::exchange(seen_[label[i]], 0))
                            dealt_.push_back(stratum->turned ? Level{label[i], row.number, n} : Level{row.number, label[i], n});
                    label += row.count;
                }
                if (stratum->turned)  // the cells of a row stand together
                    std::stable_sort(dealt_.begin(), dealt_.end(), [](auto& a, auto& b) { return a.state < b.state; });
                for (const Level& cell : dealt_) push(cell.state, cell.number, cell.count);
                ++stratum;
            } else {
                for (const Level& cell : fixed_[s]) push(cell.state, cell.number, cell.count);
            }
            t.cell_begin.push_back(static_cast<std::uint32_t>(t.count.size()));
        }
    }

    void push(std::uint32_t row, std::uint32_t column, std::uint32_t count) {
        table_.row.push_back(row), table_.column.push_back(column), table_.count.push_back(count);
    }

    std::uint64_t seed_;
    Counts table_;
    std::vector<std::uint32_t> dense_, seen_;
    std::vector<Stratum> strata_;
    std::vector<std::vector<Level>> fixed_;  // row, column and count of the cells of strata that cannot move
    std::vector<Level> dealt_;               // and of one that does
    std::unordered_map<std::uint64_t, std::uint64_t> met_;
};

class Permutation final : public Statistic {
public:
    Permutation(SharedStatistic inner, std::uint32_t permutations, std::uint32_t exceedances, std::uint64_t seed)
        : Statistic({.dof = inner->kind().dof, .p_value = true, .reach = true, .slow = true}), inner_(std::move(inner)),
          permutations_(permutations), exceedances_(exceedances), seed_(seed) {}

    Reading read(Counts& counts) const override {
        Reading out = inner_->read(counts);
        const double observed = inner_->dependence(counts);
        Shuffle shuffle(counts, seed_);
        out.p_value = shuffle.moves() ? share(shuffle, observed - kTie * std::max(1., std::fabs(observed))) : 1;
        if (!shuffle.moves()) out.informative = 0;
        return out;
    }

    double dependence(Counts& counts) const override { return inner_->dependence(counts); }

    double smallest_p(Counts& counts) const override {
        double log_rarest = 0;
        counts.each_slice([&](const Slice& slice) { log_rarest += log_rarest_table(slice); });
        return std::max(std::exp(log_rarest), 1. / (permutations_ + 1.));
    }

private:
    // Sequential (Besag and Clifford 1991): exact at every stopping point, and never 0.
    double share(Shuffle& shuffle, double threshold) const {
        std::uint32_t exceeded = 0;
        for (std::uint64_t m = 1; m <= permutations_; ++m) {
            exceeded += inner_->dependence(shuffle.next()) >= threshold;
            if (exceeded == exceedances_) return static_cast<double>(exceeded) / static_cast<double>(m);
        }
        return (exceeded + 1.) / (permutations_ + 1.);
    }

    SharedStatistic inner_;
    std::uint32_t permutations_, exceedances_;
    std::uint64_t seed_;
};

}  // namespace

// The share of permutations within the strata for which another statistic shows at least as much dependence: of at most
// `permutations`, and of fewer once `exceedances` of them did.
SharedStatistic permutation_statistic(Options& options) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    const auto draws = [&](const char* name) { return static_cast<std::uint32_t>(options.whole_number(name, 1, most)); };
    SharedStatistic of = options.statistic("of");
    const std::uint32_t permutations = draws("permutations"), exceedances = draws("exceedances");
    const std::uint64_t seed = options.whole_number("seed", 0, std::numeric_limits<std::uint64_t>::max());
    return std::make_shared<Permutation>(std::move(of), permutations, exceedances, seed);
}

}  // namespace paucal
