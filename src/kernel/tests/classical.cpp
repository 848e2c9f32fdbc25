// The likelihood-ratio (G) and Pearson chi-square statistics with their degrees of freedom.
#include <algorithm>
#include <cmath>
#include <vector>

#include "isa/isa.hpp"
#include "math/special.hpp"
#include "tests/degrees_of_freedom.hpp"

namespace paucal {
namespace {

struct Sum {
    double value = 0, adjusted_dof = 0;
    std::uint32_t strata = 0, informative = 0;

    void add_stratum(double part, double dof) {
        value += part, adjusted_dof += dof;
        ++strata, informative += dof > 0;
    }
};

// `Which` of the two gives the sum, by a call that can be made part of `read`.
template <class Which> class Classical : public Statistic {
public:
    explicit Classical(DofRule rule) : Statistic({.dof = true, .p_value = true}), rule_(rule) {}

    Reading read(Counts& counts) const override {
        const Sum sum = which().add_up(counts);
        Reading out;
        out.statistic = std::max(0., sum.value);
        out.strata = sum.strata;
        out.informative = sum.informative;
        out.dof = degrees_of_freedom(rule_, counts, sum.strata, sum.adjusted_dof);
        out.p_value = chi2_sf(out.statistic, out.dof);
        return out;
    }

    double dependence(Counts& counts) const override { return which().add_up(counts).value; }

private:
    const Which& which() const { return static_cast<const Which&>(*this); }

    DofRule rule_;
};

// Small samples: G is a sum of n ln n, which a table answers. Large samples: the sums of n ln n cancel to fewer
// and fewer digits, so each cell's deviance from its expectation is added instead; all of these are positive.
const double* n_log_n() {
    static const std::vector<double> table = [] {
        std::vector<double> values(kTableRows + 1);
        for (std::size_t n = 2; n < values.size(); ++n) {
            const auto value = static_cast<double>(n);
            values[n] = value * std::log(value);
        }
        return values;
    }();
    return table.data();
}

// The deviances of many cells are computed at once; one stratum often has a few cells only, so they wait for each other.
class Deviances {
public:
    explicit Deviances(Sum& sum) : sum_(sum) {}

    void add(const Slice& slice) {
        if (cells_ + slice.n_cells > room_ || strata_ == kStrata) add_up();
        if (slice.n_cells > room_) {
            room_ = padded(slice.n_cells);
            large_.resize(std::size_t{6} * room_);
            large_far_.resize(room_);
        }
        const double total = slice.total;
        const Arrays at = arrays();
        for (std::uint32_t c = 0; c < slice.n_cells; ++c) {
            at.n[cells_ + c] = slice.count[c];
            at.row[cells_ + c] = slice.row_margin[slice.row[c]];
            at.column[cells_ + c] = slice.column_margin[slice.column[c]];
            at.total[cells_ + c] = total;
        }
        cells_ += slice.n_cells;
        const bool has_empty = slice.n_cells < std::uint64_t{slice.n_rows} * slice.n_columns;
        stratum_[strata_++] = {cells_, has_empty, total, (slice.n_rows - 1.) * (slice.n_columns - 1.)};
    }

    void add_up() {
        const Arrays at = arrays();
        const std::uint32_t size = padded(cells_);
        for (std::uint32_t c = cells_; c < size; ++c) at.n[c] = at.row[c] = at.column[c] = at.total[c] = 1;
        const std::size_t n_far = hot().sums.deviances(at.n, at.row, at.column, at.total, size, at.mean, at.part, at.far);
        for (std::size_t i = 0; i < n_far; ++i) {
            const std::uint32_t c = at.far[i];
            at.part[c] = at.n[c] * std::log(at.n[c] / at.mean[c]) - (at.n[c] - at.mean[c]);
        }
        for (std::uint32_t s = 0, c = 0; s < strata_; ++s) {
            const Stratum& stratum = stratum_[s];
            double value = 0, expected_elsewhere = stratum.total;  // an empty cell deviates by its whole expectation
            for (; c < stratum.end; ++c) value += at.part[c], expected_elsewhere -= at.mean[c];
            if (stratum.has_empty) value += expected_elsewhere;
            sum_.add_stratum(2 * value, stratum.dof);
        }
        cells_ = strata_ = 0;
    }

private:
    static constexpr std::uint32_t kCells = 256, kStrata = 64;
    struct Stratum {
        std::uint32_t end;
        bool has_empty;
        double total, dof;
    };
    static std::uint32_t padded(std::uint32_t cells) { return (cells + 3) / 4 * 4; }
    struct Arrays {
        double *n, *row, *column, *total, *mean, *part;
        std::uint32_t* far;
    };
    Arrays arrays() {
        double* p = large_.empty() ? small_ : large_.data();
        return {p, p + room_, p + 2 * room_, p + 3 * room_, p + 4 * room_, p + 5 * room_,
                large_.empty() ? small_far_ : large_far_.data()};
    }

    Sum& sum_;
    std::uint32_t cells_ = 0, strata_ = 0;
    std::size_t room_ = kCells;
    Stratum stratum_[kStrata];
    double small_[6 * kCells];
    std::uint32_t small_far_[kCells];
    std::vector<double> large_;
    std::vector<std::uint32_t> large_far_;
};

class G final : public Classical<G> {
public:
    using Classical::Classical;

    Sum add_up(Counts& counts) const {
        if (counts.total > kTableRows) return by_deviance(counts);
        if (!counts.cells) return by_slices(counts);
        return with_shape(counts.kx, counts.ky, [&]<int KX, int KY>() {
            if constexpr (KX == 0)
                return by_slices(counts);
            else
                return by_table<KX, KY>(counts);
        });
    }

private:
    template <int KX, int KY> Sum by_table(const Counts& counts) const {
        constexpr std::size_t kBlock = 64;
        const std::uint32_t* used[kBlock];  // strata with rows, found without a branch: if many, most are empty
        Sum sum;
        const double* t = table_;
        if (counts.strata == 1) {  // of a pair given nothing, which has rows
            add_table<KX, KY>(t, counts.cells, sum);
            sum.strata = 1;
            sum.value *= 2;
            return sum;
        }
        for (std::size_t start = 0; start < counts.strata; start += kBlock) {
            const std::uint32_t* n = counts.cells + start * KX * KY;
            const std::uint32_t* end = n + std::min(kBlock, counts.strata - start) * KX * KY;
            std::size_t n_used = 0;
            for (; n != end; n += KX * KY) {
                std::uint32_t total = 0;
                for (int c = 0; c < KX * KY; ++c) total += n[c];
                used[n_used] = n;
                n_used += total > 0;
            }
            for (std::size_t s = 0; s < n_used; ++s) add_table<KX, KY>(t, used[s], sum);
            sum.strata += static_cast<std::uint32_t>(n_used);
        }
        sum.value *= 2;
        return sum;
    }

    template <int KX, int KY> static void add_table(const double* t, const std::uint32_t* n, Sum& sum) {
        std::uint32_t rows[KX] = {}, columns[KY] = {}, total = 0;
        for (int i = 0; i < KX; ++i)
            for (int j = 0; j < KY; ++j) {
                rows[i] += n[i * KY + j];
                columns[j] += n[i * KY + j];
            }
        for (int i = 0; i < KX; ++i) total += rows[i];
        int used_rows = -1, used_columns = -1;
        double cells = t[total], row_part = 0, column_part = 0;  // three sums that do not wait for each other
        for (int c = 0; c < KX * KY; ++c) cells += t[n[c]];
        for (int i = 0; i < KX; ++i) row_part += t[rows[i]], used_rows += rows[i] > 0;
        for (int j = 0; j < KY; ++j) column_part += t[columns[j]], used_columns += columns[j] > 0;
        sum.value += cells - (row_part + column_part);
        const int dof = used_rows * used_columns;
        sum.adjusted_dof += dof, sum.informative += dof > 0;
    }

    Sum by_slices(Counts& counts) const {
        Sum sum;
        const double* t = table_;
        counts.each_slice([&](const Slice& slice) {
            double value = t[slice.total];
            for (std::uint32_t c = 0; c < slice.n_cells; ++c) value += t[slice.count[c]];
            for (std::uint32_t i = 0; i < slice.n_rows; ++i) value -= t[slice.row_margin[i]];
            for (std::uint32_t j = 0; j < slice.n_columns; ++j) value -= t[slice.column_margin[j]];
            sum.add_stratum(2 * value, (slice.n_rows - 1.) * (slice.n_columns - 1.));
        });
        return sum;
    }

    Sum by_deviance(Counts& counts) const {
        Sum sum;
        Deviances deviances(sum);
        counts.each_slice_by_shape([&](const Slice& slice) { deviances.add(slice); });
        deviances.add_up();
        return sum;
    }

    const double* table_ = n_log_n();
};

class Chi2 final : public Classical<Chi2> {
public:
    using Classical::Classical;

    Sum add_up(Counts& counts) const {
        Sum sum;
        counts.each_slice_by_shape([&](const Slice& slice) {
            const double total = slice.total;
            double value = 0, expected_elsewhere = total;
            for (std::uint32_t c = 0; c < slice.n_cells; ++c) {
                const double e = static_cast<double>(slice.row_margin[slice.row[c]]) *
                                 slice.column_margin[slice.column[c]] / total;
                const double d = slice.count[c] - e;
                value += d * d / e;
                expected_elsewhere -= e;
            }
            if (slice.n_cells < std::uint64_t{slice.n_rows} * slice.n_columns) value += expected_elsewhere;
            sum.add_stratum(value, (slice.n_rows - 1.) * (slice.n_columns - 1.));
        });
        return sum;
    }
};

}  // namespace

SharedStatistic g_statistic(Options& options) { return std::make_shared<G>(dof_rule(options)); }
SharedStatistic chi2_statistic(Options& options) { return std::make_shared<Chi2>(dof_rule(options)); }

}  // namespace paucal
