// Mutual information of shares that are shrunk towards equality (Hausser and Strimmer 2009), as a chi-square statistic.
//
// In a stratum with n samples and K cells the share t of a cell becomes (1 - w) t + w / K, with
//   w = (1 - sum t^2) / ((n - 1) sum (t - 1/K)^2),
// at most 1: the weight that makes the expected squared error least, as the data estimate it.
#include <algorithm>
#include <cmath>

#include "tests/degrees_of_freedom.hpp"

namespace paucal {
namespace {

double n_log(double share) { return share > 0 ? share * std::log(share) : 0; }

double information(const Slice& slice, double kx, double ky) {
    const double n = slice.total, cells = kx * ky;
    double squares = 0;
    for (std::uint32_t c = 0; c < slice.n_cells; ++c) squares += slice.count[c] / n * (slice.count[c] / n);
    const double uneven = (n - 1) * (squares - 1 / cells), w = uneven > 1 - squares ? (1 - squares) / uneven : 1;
    if (w >= 1) return 0;
    const double kept = (1 - w) / n;
    const auto terms = [&](const std::uint32_t* counts, std::uint32_t observed, double levels) {
        double sum = (levels - observed) * n_log(w / levels);
        for (std::uint32_t i = 0; i < observed; ++i) sum += n_log(kept * counts[i] + w / levels);
        return sum;
    };
    return std::max(0., terms(slice.count, slice.n_cells, cells) - terms(slice.row_margin, slice.n_rows, kx) -
                            terms(slice.column_margin, slice.n_columns, ky));
}

class Shrinkage final : public Statistic {
public:
    explicit Shrinkage(DofRule rule) : Statistic({.dof = true, .p_value = true}), rule_(rule) {}

    Reading read(Counts& counts) const override {
        Reading out;
        double adjusted = 0;
        counts.each_slice([&](const Slice& slice) {
            const double dof = (slice.n_rows - 1.) * (slice.n_columns - 1.);
            ++out.strata, out.informative += dof > 0;
            adjusted += dof;
            if (dof > 0) out.statistic += 2 * slice.total * information(slice, counts.kx, counts.ky);
        });
        out.dof = degrees_of_freedom(rule_, counts, out.strata, adjusted);
        out.p_value = chi2_sf(out.statistic, out.dof);
        return out;
    }

private:
    DofRule rule_;
};

}  // namespace

SharedStatistic shrinkage_information(Options& options) { return std::make_shared<Shrinkage>(dof_rule(options)); }

}  // namespace paucal
