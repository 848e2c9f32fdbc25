// The face of the kernel towards Python; src/paucal/_kernel.pyi describes it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "math/dirichlet.hpp"
#include "isa/isa.hpp"
#include "tests/permutation_moments.hpp"
#include "ask/tester.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace paucal {

void bind_special(nb::module_& m);
void bind_scores(nb::module_& m);

namespace {

template <class Code> bool add_as(Columns& columns, nb::handle array, Index states, std::size_t rows) {
    Array1<Code> codes;
    if (!nb::try_cast(array, codes, false)) return false;
    if (codes.shape(0) != rows) throw nb::value_error("columns differ in length");
    if (!columns.add(codes.data(), states)) throw nb::value_error("a code is not below the number of states");
    return true;
}

std::shared_ptr<Columns> make_columns(nb::sequence arrays, const std::vector<Index>& states, std::size_t rows) {
    if (rows >= (std::size_t{1} << 32)) throw nb::value_error("at most 2^32 - 1 rows");
    auto columns = std::make_shared<Columns>(rows);
    std::size_t i = 0;
    for (nb::handle array : arrays) {
        if (i == states.size()) throw nb::value_error("more columns than numbers of states");
        if (states[i] == 0) throw nb::value_error("a column needs at least one state");
        if (!add_as<std::uint8_t>(*columns, array, states[i], rows) &&
            !add_as<std::uint16_t>(*columns, array, states[i], rows) &&
            !add_as<std::uint32_t>(*columns, array, states[i], rows))
            throw nb::type_error("a column must be a contiguous array of uint8, uint16 or uint32");
        ++i;
    }
    if (i != states.size()) throw nb::value_error("fewer columns than numbers of states");
    columns->finish();
    return columns;
}

// Every index is checked here, once, so that the loops below need not.
void check(const Columns& columns, const Index* v, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        if (v[i] >= columns.size()) throw nb::index_error("no such column");
}

struct Given {  // a Python tuple of a few columns, without allocation
    Index z[64];
    int order;
};

Given unpack(const Columns& columns, nb::tuple given) {
    Given out;
    if (given.size() > 64) throw nb::value_error("more than 64 conditioners");
    out.order = static_cast<int>(given.size());
    for (int i = 0; i < out.order; ++i) out.z[i] = nb::cast<Index>(given[static_cast<std::size_t>(i)]);
    check(columns, out.z, static_cast<std::size_t>(out.order));
    return out;
}

nb::tuple numbers(const Outcome& o) {
    return nb::make_tuple(o.statistic, o.dof, o.p_value, o.threshold, o.nearness, o.strata,
                          static_cast<int>(o.decision), static_cast<int>(o.flags));
}

nb::tuple numbers(const Tally& t) {
    return nb::make_tuple(t.calls, t.fresh, t.unreliable, t.undecidable, t.powerless);
}

// A level: one number, or one for each number of conditioners.
using Alpha = std::variant<double, std::vector<double>>;

Levels levels(const Alpha& alpha) {
    if (const double* one = std::get_if<double>(&alpha)) return Levels(*one);
    const auto& many = std::get<std::vector<double>>(alpha);
    if (many.empty()) throw nb::value_error("a level is needed");
    return Levels(many);
}

nb::tuple arrays(Outcomes&& o) {
    return nb::make_tuple(to_numpy(std::move(o.statistic), o.size), to_numpy(std::move(o.dof), o.size),
                          to_numpy(std::move(o.p_value), o.size), to_numpy(std::move(o.threshold), o.size),
                          to_numpy(std::move(o.nearness), o.size), to_numpy(std::move(o.strata), o.size),
                          to_numpy(std::move(o.decision), o.size), to_numpy(std::move(o.flags), o.size));
}

nb::tuple count(const Columns& columns, Index x, Index y, nb::tuple given) {
    const Given g = unpack(columns, given);
    const Index xy[] = {x, y};
    check(columns, xy, 2);
    Counter counter(columns);
    Counts& c = counter.count_relabelled({x, y, g.z, g.order});
    std::vector<Index> stratum, row, column, n(c.count);
    for (std::size_t s = 0; s < c.strata; ++s)
        for (Index i = c.cell_begin[s]; i < c.cell_begin[s + 1]; ++i) {
            stratum.push_back(static_cast<Index>(s));
            row.push_back(c.row_state[c.row_begin[s] + c.row[i]]);
            column.push_back(c.column_state[c.column_begin[s] + c.column[i]]);
        }
    return nb::make_tuple(to_numpy(std::move(stratum)), to_numpy(std::move(row)), to_numpy(std::move(column)),
                          to_numpy(std::move(n)), to_numpy(std::vector<Index>(c.first_row)));
}

nb::tuple ask_many(Tester& tester, Array1<Index> x, Array1<Index> y, Array2<Index> given, int threads) {
    const std::size_t n = x.shape(0);
    if (y.shape(0) != n || given.shape(0) != n) throw nb::value_error("x, y and given differ in length");
    check(tester.columns(), x.data(), n);
    check(tester.columns(), y.data(), n);
    check(tester.columns(), given.data(), n * given.shape(1));
    Outcomes out(n);
    Tally tally;
    {
        nb::gil_scoped_release release;
        tester.ask_many(n, x.data(), y.data(), given.data(), static_cast<int>(given.shape(1)), threads, out, tally);
    }
    return nb::make_tuple(arrays(std::move(out)), numbers(tally));
}

// Statistic, mean, variance and third cumulant of one stratum, a table of counts.
nb::tuple permutation_cumulants(Array2<Index> table) {
    Counts counts;
    counts.strata = 1, counts.kx = static_cast<Index>(table.shape(0)), counts.ky = static_cast<Index>(table.shape(1));
    counts.cells = table.data();
    const SmoothedChi2Sum sum(counts);
    const Cumulants& c = sum.cumulants;
    return nb::make_tuple(sum.statistic, c.mean, c.variance, c.third);
}

constexpr ThinRule kNeverThin{Sparse::test, 0, false};  // tests that are exact whatever the samples per cell

nb::tuple read_tables(const Tester& tester, nb::ndarray<const Index, nb::ndim<4>, nb::c_contig, nb::device::cpu> tables,
                      int order) {
    const std::size_t n = tables.shape(0);
    const Tester::Shape shape{tables.shape(1), static_cast<Index>(tables.shape(2)), static_cast<Index>(tables.shape(3)),
                              order};
    Outcomes out(n);
    {
        nb::gil_scoped_release release;
        tester.read(n, tables.data(), shape, out);
    }
    return arrays(std::move(out));
}

nb::tuple first_separator(Tester& tester, Index x, Index y, const std::vector<Index>& candidates, int order) {
    const Index xy[] = {x, y};
    check(tester.columns(), xy, 2);
    check(tester.columns(), candidates.data(), candidates.size());
    Tally tally;
    const Separation s = tester.first_separator(x, y, candidates, order, tally);
    nb::object outcome = nb::none(), set = nb::none();
    if (s.asked) {
        outcome = numbers(s.outcome);
        nb::list members;
        for (const Index v : s.set) members.append(v);
        set = nb::tuple(members);
    }
    return nb::make_tuple(s.found, set, outcome, numbers(tally));
}

nb::tuple search(Tester& tester, Array1<Index> x, Array1<Index> y, std::optional<Array1<Index>> owner,
                 Array2<std::uint8_t> adjacency, int order, int threads) {
    const std::size_t n = x.shape(0), p = tester.columns().size();
    if (y.shape(0) != n || (owner && owner->shape(0) != n)) throw nb::value_error("x, y and owner differ in length");
    if (adjacency.shape(0) != p || adjacency.shape(1) != p) throw nb::value_error("adjacency must be square");
    for (const Index* v : {x.data(), y.data()}) check(tester.columns(), v, n);
    const Index* owners = owner ? owner->data() : nullptr;
    if (owners) check(tester.columns(), owners, n);
    std::vector<Separation> out(n);
    Tally tally;
    {
        nb::gil_scoped_release release;
        tester.search(n, x.data(), y.data(), owners, adjacency.data(), order, threads, out.data(), tally);
    }
    const auto k = static_cast<std::size_t>(order);
    std::vector<std::uint8_t> found(n), asked(n);
    std::vector<Index> sets(n * k);
    Outcomes outcomes(n);
    for (std::size_t i = 0; i < n; ++i) {
        outcomes.put(i, out[i].outcome);
        found[i] = out[i].found, asked[i] = out[i].asked;
        if (out[i].asked) std::copy(out[i].set.begin(), out[i].set.end(), sets.begin() + static_cast<std::ptrdiff_t>(i * k));
    }
    return nb::make_tuple(to_numpy(std::move(found)), to_numpy(std::move(asked)), to_numpy(std::move(sets), {n, k}),
                          arrays(std::move(outcomes)), numbers(tally));
}

double alpha_star_of(Array1<Index> counts, double cells) {
    Occupancy occupancy;
    occupancy.clear(cells);
    occupancy.add(counts.data(), counts.shape(0));
    occupancy.finish(true);
    return alpha_star(occupancy);
}

Threshold calibrated(Array1<double> levels, double first_ratio, double step, Array3<double> mean,
                     Array3<double> deviation, Array4<double> quantile, Array1<double> normal) {
    Calibration c;
    for (std::size_t i = 0; i < levels.shape(0); ++i) c.log_levels.push_back(std::log(levels.data()[i]));
    c.first_ratio = first_ratio;
    c.step = step;
    c.ratios = mean.shape(2);
    for (std::size_t i = 0; i < 3; ++i)
        if (mean.shape(i) != (i < 2 ? levels.shape(0) : c.ratios) || deviation.shape(i) != mean.shape(i) ||
            quantile.shape(i + 1) != mean.shape(i) || c.ratios < 2)
            throw nb::value_error("the tables of a calibration must be levels x levels x ratios");
    if (normal.shape(0) == 0 || normal.shape(0) != quantile.shape(0))
        throw nb::value_error("there must be as many normal quantiles as tables of quantiles");
    c.mean.assign(mean.data(), mean.data() + mean.size());
    c.deviation.assign(deviation.data(), deviation.data() + deviation.size());
    c.quantile.assign(quantile.data(), quantile.data() + quantile.size());
    c.normal.assign(normal.data(), normal.data() + normal.size());
    return Threshold::calibrated(std::move(c));
}

}  // namespace
}  // namespace paucal

NB_MODULE(_kernel, m) {
    using namespace paucal;
    m.def("isa", [] { return std::string(hot().name); });
    m.def("use_isa", [](const std::string& name) { return use_isa(name); }, "name"_a);
    m.def("alpha_star", &alpha_star_of, "counts"_a, "cells"_a);
    m.def("permutation_cumulants", &permutation_cumulants, "table"_a);

    nb::class_<Columns>(m, "Columns")
        .def(nb::new_(&make_columns), "columns"_a, "states"_a, "rows"_a)
        .def("count", &count, "x"_a, "y"_a, "given"_a);

    nb::enum_<DofRule>(m, "DofRule")
        .value("full", DofRule::full)
        .value("nonempty", DofRule::nonempty)
        .value("adjusted", DofRule::adjusted);
    nb::enum_<Sparse>(m, "Sparse")
        .value("test", Sparse::test)
        .value("independent", Sparse::independent)
        .value("undecidable", Sparse::undecidable);

    nb::enum_<ZeroRule>(m, "ZeroRule")
        .value("limit", ZeroRule::limit)
        .value("drop", ZeroRule::drop)
        .value("nought", ZeroRule::nought);
    nb::enum_<Conditional>(m, "Conditional")
        .value("stratum", Conditional::stratum)
        .value("joint", Conditional::joint)
        .value("pooled", Conditional::pooled);
    nb::class_<Threshold>(m, "Threshold")
        .def_static("fixed", &Threshold::fixed, "value"_a)
        .def_static("spec", &Threshold::spec)
        .def_static("calibrated", &calibrated, "levels"_a, "first_ratio"_a, "step"_a, "mean"_a, "deviation"_a,
                    "quantile"_a, "normal"_a);

    // One constructor per statistic, so that each takes its own parameters by name.
    nb::class_<Tester>(m, "Tester")
        .def_static(
            "g",
            [](std::shared_ptr<Columns> columns, const Alpha& alpha, DofRule df, Sparse sparse, double least,
               bool per_dof) {
                const std::size_t rows = columns->rows();
                return new Tester(std::move(columns), g_statistic(levels(alpha), df, rows), {sparse, least, per_dof});
            },
            "columns"_a, "alpha"_a, "df"_a, "sparse"_a, "least"_a, "per_dof"_a)
        .def_static(
            "chi2",
            [](std::shared_ptr<Columns> columns, const Alpha& alpha, DofRule df, Sparse sparse, double least,
               bool per_dof) {
                return new Tester(std::move(columns), chi2_statistic(levels(alpha), df), {sparse, least, per_dof});
            },
            "columns"_a, "alpha"_a, "df"_a, "sparse"_a, "least"_a, "per_dof"_a)
        .def_static(
            "bf",
            [](std::shared_ptr<Columns> columns, double prior, double log_eta, bool stripped, bool strict, Sparse sparse,
               double least) {
                auto statistic = bayes_factor(prior, log_eta, stripped, strict, columns->rows());
                return new Tester(std::move(columns), std::move(statistic), {sparse, least, false});
            },
            "columns"_a, "prior"_a, "log_eta"_a, "stripped"_a, "strict"_a, "sparse"_a, "least"_a)
        .def_static(
            "bf_chi2",
            [](std::shared_ptr<Columns> columns, const Alpha& alpha, double prior, ZeroRule zero, bool reduced, DofRule df,
               Sparse sparse, double least, bool per_dof) {
                auto statistic = bayes_factor_chi2(levels(alpha), prior, zero, reduced, df, columns->rows());
                return new Tester(std::move(columns), std::move(statistic), {sparse, least, per_dof});
            },
            "columns"_a, "alpha"_a, "prior"_a, "zero"_a, "reduced"_a, "df"_a, "sparse"_a, "least"_a, "per_dof"_a)
        .def_static(
            "mi",
            [](std::shared_ptr<Columns> columns, const Threshold& threshold, Sparse sparse, double least) {
                auto statistic = plug_in_information(threshold, columns->rows());
                return new Tester(std::move(columns), std::move(statistic), {sparse, least, false});
            },
            "columns"_a, "threshold"_a, "sparse"_a, "least"_a)
        .def_static(
            "mi_eb",
            [](std::shared_ptr<Columns> columns, const Threshold& threshold, Conditional conditional, Sparse sparse,
               double least) {
                return new Tester(std::move(columns), empirical_bayes_information(threshold, conditional),
                                  {sparse, least, false});
            },
            "columns"_a, "threshold"_a, "conditional"_a, "sparse"_a, "least"_a)
        .def_static(
            "mi_fixed",
            [](std::shared_ptr<Columns> columns, const Threshold& threshold, Conditional conditional, double prior,
               bool shared, Sparse sparse, double least) {
                return new Tester(std::move(columns), fixed_prior_information(threshold, conditional, prior, shared),
                                  {sparse, least, false});
            },
            "columns"_a, "threshold"_a, "conditional"_a, "prior"_a, "shared"_a, "sparse"_a, "least"_a)
        .def_static(
            "mi_full",
            [](std::shared_ptr<Columns> columns, const Threshold& threshold, Conditional conditional, Sparse sparse,
               double least) {
                return new Tester(std::move(columns), full_bayes_information(threshold, conditional),
                                  {sparse, least, false});
            },
            "columns"_a, "threshold"_a, "conditional"_a, "sparse"_a, "least"_a)
        .def_static(
            "mi_adaptive",
            [](std::shared_ptr<Columns> columns, const Threshold& threshold, bool by_frequency, double split,
               Sparse sparse, double least) {
                return new Tester(std::move(columns), adaptive_information(threshold, by_frequency, split),
                                  {sparse, least, false});
            },
            "columns"_a, "threshold"_a, "by_frequency"_a, "split"_a, "sparse"_a, "least"_a)
        .def_static(
            "chi2_perm",
            [](std::shared_ptr<Columns> columns, const Alpha& alpha, bool guard, bool act) {
                return new Tester(std::move(columns), chi2_perm_statistic(levels(alpha), guard, act), kNeverThin);
            },
            "columns"_a, "alpha"_a, "guard"_a, "act"_a)
        .def_static(
            "permutation",
            [](const Tester& of, const Alpha& alpha, Index permutations, Index exceedances, std::uint64_t seed,
               bool act) {
                return new Tester(of.shared_columns(),
                                  permutation_statistic(of.statistic(), levels(alpha),
                                                        {permutations, exceedances, seed, act}),
                                  kNeverThin);
            },
            "of"_a, "alpha"_a, "permutations"_a, "exceedances"_a, "seed"_a, "act"_a)
        .def(
            "ask",
            [](Tester& tester, Index x, Index y, nb::tuple given) {
                const Given g = unpack(tester.columns(), given);
                const Index xy[] = {x, y};
                check(tester.columns(), xy, 2);
                Tally tally;
                const Outcome out = tester.ask(x, y, g.z, g.order, tally);
                return nb::make_tuple(numbers(out), tally.fresh > 0);
            },
            "x"_a, "y"_a, "given"_a)
        .def(
            "smallest_p",
            [](Tester& tester, Index x, Index y, nb::tuple given) {
                const Given g = unpack(tester.columns(), given);
                const Index xy[] = {x, y};
                check(tester.columns(), xy, 2);
                return tester.smallest_p(x, y, g.z, g.order);
            },
            "x"_a, "y"_a, "given"_a)
        .def("read", &read_tables, "tables"_a, "order"_a)
        .def("ask_many", &ask_many, "x"_a, "y"_a, "given"_a, "threads"_a)
        .def("first_separator", &first_separator, "x"_a, "y"_a, "candidates"_a, "order"_a)
        .def("search", &search, "x"_a, "y"_a, "owner"_a.none(), "adjacency"_a, "order"_a, "threads"_a);

    bind_special(m);
    bind_scores(m);
}
