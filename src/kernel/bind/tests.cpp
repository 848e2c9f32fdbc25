// Statistics, what they are compared with, and the testers made of them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "ask/sets.hpp"
#include "ask/tester.hpp"
#include "bind/arrays.hpp"
#include "bind/watching.hpp"
#include "math/dirichlet.hpp"
#include "tests/permutation_moments.hpp"
#include "tests/statistic.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace paucal {
namespace {

nb::tuple numbers(const Outcome& o) {
    return nb::make_tuple(o.statistic, o.dof, o.p_value, o.threshold, o.nearness, o.strata,
                          static_cast<int>(o.decision), static_cast<int>(o.flags), o.samples);
}

nb::tuple numbers(const Tally& t) {
    return nb::make_tuple(t.calls, t.fresh, t.unreliable, t.undecidable, t.powerless);
}

nb::tuple arrays(Outcomes&& o) {
    nb::capsule owner(o.block.release(), [](void* p) noexcept { delete[] static_cast<double*>(p); });
    const auto array = [&]<class T>(T* values) {
        return nb::cast(nb::ndarray<nb::numpy, T>(values, {o.size}, owner));
    };
    return nb::make_tuple(array(o.statistic), array(o.dof), array(o.p_value), array(o.threshold), array(o.nearness),
                          array(o.strata), array(o.decision), array(o.flags), array(o.samples));
}

nb::tuple ask(Tester& tester, Index x, Index y, const std::vector<Index>& given) {
    Tally tally;
    std::optional<Outcome> out = tester.ask_at_once(x, y, given, tally);  // letting others run would take as long
    if (!out) {
        nb::gil_scoped_release release;
        out = tester.ask(x, y, given, tally);
    }
    return nb::make_tuple(numbers(*out), tally.fresh > 0);
}

double smallest_p(Tester& tester, Index x, Index y, const std::vector<Index>& given) {
    nb::gil_scoped_release release;
    return tester.smallest_p(x, y, given);
}

nb::tuple ask_many(Tester& tester, const Array1<Index>& x, const Array1<Index>& y, const Array2<Index>& given,
                   int threads, nb::handle look) {
    Outcomes out(x.size());
    Tally tally;
    std::optional<Watch> watch = watch_of(look);
    if (given.shape(0) != x.size()) refuse("x, y and given differ in length");
    {
        nb::gil_scoped_release release;
        tester.ask_many(span_of<Index, 1>(x), span_of<Index, 1>(y), span_of<Index, 2>(given),
                        static_cast<int>(given.shape(1)), threads, out, tally, address(watch));
    }
    return nb::make_tuple(arrays(std::move(out)), numbers(tally));
}

nb::tuple read_tables(const Tester& tester, const Array<Index, 4>& tables, int order) {
    const Tester::Shape shape{tables.shape(1), static_cast<Index>(tables.shape(2)), static_cast<Index>(tables.shape(3)),
                              order};
    Outcomes out(0);
    {
        nb::gil_scoped_release release;
        out = tester.read(span_of<Index, 4>(tables), shape);
    }
    return arrays(std::move(out));
}

nb::tuple first_separator(Tester& tester, Index x, Index y, const std::vector<Index>& candidates, int order,
                          std::uint64_t most, nb::handle look) {
    Tally tally;
    Separations tried(1, 0);
    std::optional<Watch> watch = watch_of(look);
    {
        nb::gil_scoped_release release;
        tried = tester.first_separator(x, y, candidates, order, tally, {address(watch), most});
    }
    nb::object outcome = nb::none(), set = nb::none();
    const Separation& s = tried.of[0];
    if (s.asked) {
        outcome = numbers(s.outcome);
        nb::list members;
        for (const Index v : tried.sets) members.append(v);
        set = nb::tuple(members);
    }
    return nb::make_tuple(s.found, set, outcome, numbers(tally));
}

using Members = std::vector<std::vector<Index>>;

nb::tuple grow(Tester& tester, const std::vector<Index>& x, const Members& y, const Members& candidates,
               const Members& always, int least, int most, int threads, nb::handle look) {
    if (y.size() != x.size() || candidates.size() != x.size() || always.size() != x.size())
        refuse("x, y, candidates and always differ in length");
    std::vector<Around> around;
    for (std::size_t i = 0; i < x.size(); ++i) around.push_back({x[i], y[i], candidates[i], always[i]});
    std::optional<Watch> watch = watch_of(look);
    Growing tried;
    {
        nb::gil_scoped_release release;
        tried = tester.grow(around, least, most, threads, {address(watch)});
    }
    const std::size_t n = tried.of.size(), width = tried.width;
    std::vector<std::uint8_t> found(n), fresh(n);
    Outcomes outcomes(n);
    for (std::size_t i = 0; i < n; ++i) {
        outcomes.put(i, tried.of[i].outcome);
        found[i] = tried.of[i].found, fresh[i] = tried.of[i].fresh;
    }
    nb::list tallies;
    for (const Tally& tally : tried.tallies) tallies.append(numbers(tally));
    return nb::make_tuple(to_numpy(std::move(tried.place)), to_numpy(std::move(tried.size)), to_numpy(std::move(found)),
                          to_numpy(std::move(fresh)), to_numpy(std::move(tried.sets), {n, width}), arrays(std::move(outcomes)), tallies);
}

nb::tuple separations(Separations&& out, const Tally& tally) {
    const std::size_t n = out.of.size(), k = static_cast<std::size_t>(out.order);
    std::vector<std::uint8_t> found(n), asked(n);
    Outcomes outcomes(n);
    for (std::size_t i = 0; i < n; ++i) {
        outcomes.put(i, out.of[i].outcome);
        found[i] = out.of[i].found, asked[i] = static_cast<std::uint8_t>(out.of[i].asked | out.of[i].fresh << 1);
    }
    return nb::make_tuple(to_numpy(std::move(found)), to_numpy(std::move(asked)), to_numpy(std::move(out.sets), {n, k}),
                          arrays(std::move(outcomes)), numbers(tally));
}

nb::tuple search(Tester& tester, const Array1<Index>& x, const Array1<Index>& y,
                 const std::optional<Array1<Index>>& owner, const Array2<std::uint8_t>& adjacency, int order,
                 int threads, std::uint64_t most, nb::handle look) {
    Tally tally;
    std::optional<Watch> watch = watch_of(look);
    Separations out(0, 0);
    const Pairs pairs{span_of<Index, 1>(x), span_of<Index, 1>(y), owner ? span_of<Index, 1>(*owner) : Indices{},
                      span_of<std::uint8_t, 2>(adjacency)};
    if (owner && owner->size() != x.size()) refuse("x, y and owner differ in length");
    {
        nb::gil_scoped_release release;
        out = tester.search(pairs, order, threads, tally, {address(watch), most});
    }
    return separations(std::move(out), tally);
}

// `asked` tells in a second bit whether a question was new.
nb::tuple thin(Tester& tester, const Array1<Index>& x, const Array1<Index>& y, const Array2<std::uint8_t>& adjacency,
               int order, nb::handle look) {
    Tally tally;
    std::optional<Watch> watch = watch_of(look);
    Separations out(0, 0);
    {
        nb::gil_scoped_release release;
        out = tester.thin({span_of<Index, 1>(x), span_of<Index, 1>(y), span_of<Index, 1>(y),
                           span_of<std::uint8_t, 2>(adjacency)}, order, tally, {address(watch)});
    }
    return separations(std::move(out), tally);
}

nb::tuple rounds(Tester& tester, const Array1<Index>& x, const Array1<Index>& y, const Array2<std::uint8_t>& adjacency,
                 int last, double few_sets, int threads, nb::handle look) {
    std::optional<Watch> watch = watch_of(look);
    Tester::Rounds found;
    {
        nb::gil_scoped_release release;
        found = tester.rounds(span_of<Index, 1>(x), span_of<Index, 1>(y), span_of<std::uint8_t, 2>(adjacency), last,
                              few_sets, threads, {address(watch)});
    }
    nb::list done;
    for (Round& round : found.done)
        done.append(nb::make_tuple(to_numpy(std::move(round.x)), to_numpy(std::move(round.y)),
                                   separations(std::move(round.found), round.tally)));
    return nb::make_tuple(done, found.finished);
}

std::shared_ptr<SetsAround> sets_around(const Array2<Index>& pairs, const Array2<std::uint8_t>& neighbours, int order) {
    if (pairs.shape(1) != 2) refuse("a pair has two ends, not ", pairs.shape(1));
    const auto ends = span_of<Index, 2>(pairs);
    return std::make_shared<SetsAround>(std::vector<Index>(ends.begin(), ends.end()),
                                        span_of<std::uint8_t, 2>(neighbours), neighbours.shape(0), order);
}

// Keeps the interpreter's lock: two threads that share the sets get one part after the other.
nb::tuple next_sets(SetsAround& sets, std::size_t most) {
    if (most == 0) refuse("most is 0; it must be a number from 1 on");
    auto [numbers, given] = sets.next(most);
    const std::size_t n = numbers.size();
    return nb::make_tuple(to_numpy(std::move(numbers)),
                          to_numpy(std::move(given), {n, static_cast<std::size_t>(sets.order())}));
}

// Statistic, mean, variance and third cumulant of one stratum, a table of counts.
nb::tuple permutation_cumulants(const Array2<Index>& table) {
    std::uint64_t total = 0;
    for (const Index n : span_of<Index, 2>(table)) total += n;
    if (total > std::numeric_limits<Index>::max()) refuse("a table holds at most 2^32 - 1 samples, not ", total);
    Counts counts;
    counts.strata = 1, counts.kx = static_cast<Index>(table.shape(0)), counts.ky = static_cast<Index>(table.shape(1));
    counts.cells = table.data(), counts.total = static_cast<Index>(total);
    const SmoothedChi2Sum sum(counts);
    const Cumulants& c = sum.cumulants;
    return nb::make_tuple(sum.statistic, c.mean, c.variance, c.third);
}

double alpha_star_of(const Array1<Index>& counts, double cells) {
    const auto positive = span_of<Index, 1>(counts);
    for (const Index n : positive)
        if (n == 0) refuse("counts must be positive; `cells` says how many cells there are with the empty ones");
    if (!(cells >= static_cast<double>(positive.size()) && cells >= 1 && std::isfinite(cells)))
        refuse("cells is ", cells, "; it must be at least the number of counts, and 1");
    Occupancy occupancy;
    occupancy.clear(cells);
    occupancy.add(positive.data(), positive.size());
    occupancy.finish(true);
    return alpha_star(occupancy);
}

Threshold calibrated(const Array1<double>& levels, double first_ratio, double step, const Array<double, 3>& mean,
                     const Array<double, 3>& deviation, const Array<double, 4>& quantile, const Array1<double>& normal) {
    const auto list = [](const auto& array) { return std::vector<double>(array.data(), array.data() + array.size()); };
    Calibration c{list(levels), first_ratio, step, mean.shape(2), list(mean), list(deviation), list(quantile),
                  list(normal)};
    for (double& level : c.log_levels) level = std::log(level);
    return Threshold::calibrated(std::move(c));
}

void bind_criteria(nb::module_& m) {
    nb::class_<Level>(m, "Level")
        .def(nb::init<double>(), "alpha"_a)
        .def(nb::init<std::vector<double>>(), "alpha"_a);
    nb::class_<Evidence>(m, "Evidence").def(nb::init<double, bool>(), nb::kw_only(), "least"_a, "strict"_a = false);
    nb::class_<Threshold>(m, "Threshold")
        .def_static("fixed", &Threshold::fixed, "value"_a)
        .def_static("spec", &Threshold::spec)
        .def_static("calibrated", &calibrated, "levels"_a, "first_ratio"_a, "step"_a, "mean"_a,
                    "deviation"_a, "quantile"_a, "normal"_a);
    nb::enum_<Sparse>(m, "Sparse")
        .value("test", Sparse::test)
        .value("independent", Sparse::independent)
        .value("undecidable", Sparse::undecidable);
    nb::class_<ThinRule>(m, "ThinRule")
        .def(nb::new_([](Sparse sparse, double least, bool per_dof) { return ThinRule{sparse, least, per_dof}; }),
             nb::kw_only(), "sparse"_a = Sparse::test, "least"_a = 0., "per_dof"_a = false);
}

Options::Value option_of(const std::string& name, nb::handle value) {
    if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
    if (std::uint64_t whole; nb::isinstance<nb::int_>(value) && nb::try_cast(value, whole, false)) return whole;
    if (double number; nb::try_cast(value, number)) return number;
    if (std::string word; nb::try_cast(value, word)) return word;
    if (std::shared_ptr<Statistic> statistic; nb::try_cast(value, statistic) && statistic) return statistic;
    refuse("the option ", name, " is ", nb::repr(value).c_str(), "; it must be a number, a word, True, False or a statistic");
}

std::shared_ptr<Statistic> statistic(const std::string& name, const nb::kwargs& options) {
    Options::Named values;
    for (const auto& [key, value] : options) {
        std::string option = nb::cast<std::string>(key);
        Options::Value given = option_of(option, value);
        values.emplace_back(std::move(option), std::move(given));
    }
    return std::const_pointer_cast<Statistic>(make_statistic(name, std::move(values)));
}

std::shared_ptr<Tester> make_tester(std::shared_ptr<Columns> columns, std::shared_ptr<Statistic> statistic,
                                    const Criterion& criterion, const ThinRule& thin, bool act) {
    return std::make_shared<Tester>(std::move(columns), std::move(statistic), criterion, thin, act);
}

}  // namespace

void bind_tests(nb::module_& m) {
    constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
    m.def("alpha_star", &alpha_star_of, "counts"_a.noconvert(), "cells"_a);
    m.def("permutation_cumulants", &permutation_cumulants, "table"_a.noconvert());
    bind_criteria(m);
    nb::class_<Statistic>(m, "Statistic");
    m.def("statistic", &statistic, "name"_a, "options"_a);
    nb::class_<SetsAround>(m, "SetsAround")
        .def(nb::new_(&sets_around), "pairs"_a.noconvert(), "neighbours"_a.noconvert(), "order"_a)
        .def("next", &next_sets, "most"_a);
    nb::class_<Tester>(m, "Tester")
        .def(nb::new_(&make_tester), "columns"_a, "statistic"_a, nb::kw_only(), "criterion"_a, "thin"_a = ThinRule{},
             "act"_a = false)
        .def_prop_ro("statistic", [](const Tester& tester) { return std::const_pointer_cast<Statistic>(tester.statistic()); })
        .def("again", &Tester::again)
        .def("ask", &ask, "x"_a, "y"_a, "given"_a)
        .def("smallest_p", &smallest_p, "x"_a, "y"_a, "given"_a)
        .def("read", &read_tables, "tables"_a.noconvert(), "order"_a)
        .def("ask_many", &ask_many, "x"_a.noconvert(), "y"_a.noconvert(), "given"_a.noconvert(), "threads"_a,
             "look"_a.none() = nb::none())
        .def("first_separator", &first_separator, "x"_a, "y"_a, "candidates"_a, "order"_a, "most"_a = kNoLimit,
             "look"_a.none() = nb::none())
        .def("grow", &grow, "x"_a, "y"_a, "candidates"_a, "always"_a, nb::kw_only(), "least"_a, "most"_a,
             "threads"_a, "look"_a.none() = nb::none())
        .def("search", &search, "x"_a.noconvert(), "y"_a.noconvert(), "owner"_a.noconvert().none(),
             "adjacency"_a.noconvert(), "order"_a, "threads"_a, "most"_a = kNoLimit, "look"_a.none() = nb::none())
        .def("thin", &thin, "x"_a.noconvert(), "y"_a.noconvert(), "adjacency"_a.noconvert(), "order"_a,
             "look"_a.none() = nb::none())
        .def("rounds", &rounds, "x"_a.noconvert(), "y"_a.noconvert(), "adjacency"_a.noconvert(), nb::kw_only(), "last"_a,
             "few_sets"_a, "threads"_a, "look"_a.none() = nb::none());
}

}  // namespace paucal
