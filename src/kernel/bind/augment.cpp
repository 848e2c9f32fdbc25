// Sampling from data with gaps.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/arrays.hpp"
#include "bind/watching.hpp"
#include "errors.hpp"
#include "graphs/augment.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace paucal {
namespace {

using Matrix = Array2<std::uint8_t>;
using Reals = Array2<double>;

Bytes square(const Matrix& matrix) {
    if (matrix.shape(0) != matrix.shape(1))
        refuse("a matrix is ", matrix.shape(0), " by ", matrix.shape(1), "; it must be square");
    return span_of<std::uint8_t, 2>(matrix);
}

std::shared_ptr<GapSampler> make_sampler(const std::shared_ptr<Columns>& columns, std::vector<double> levels,
                                         const Matrix& allowed, const Matrix& required,
                                         const std::optional<Matrix>& forbidden, const std::optional<Matrix>& set,
                                         double penalty,
                                         std::vector<double> sizes, std::size_t searched_parents, std::size_t most_grown,
                                         std::size_t search_every, std::size_t most_candidates, int most_parents,
                                         std::vector<double> heats, int settling, int rounds, int sweeps,
                                         std::size_t kept, std::size_t chains, std::uint64_t seed) {
    ArcRules rules = arc_rules(allowed.shape(0), square(allowed), square(required), penalty);
    const Bytes known = forbidden ? square(*forbidden) : Bytes{};
    GapSampler::Plan plan{std::move(sizes), searched_parents, most_grown,        search_every, most_candidates,
                          most_parents,     std::move(heats), settling,          rounds,       sweeps,
                          kept,             chains,           seed};
    const Bytes rows = set ? span_of<std::uint8_t, 2>(*set) : Bytes{};
    nb::gil_scoped_release release;
    return std::make_shared<GapSampler>(*columns, std::move(levels), std::move(rules),
                                        std::vector<std::uint8_t>(known.begin(), known.end()),
                                        std::vector<std::uint8_t>(rows.begin(), rows.end()), std::move(plan));
}

nb::tuple tallies_of(const GapSampler& sampler, std::size_t chain) {
    auto [t, recorded] = without_gil([&] { return sampler.tallies(chain); });
    const std::size_t n = sampler.n();
    return nb::make_tuple(to_numpy(std::move(t.arrow), {n, n}), to_numpy(std::move(t.line), {n, n}),
                          to_numpy(std::move(t.blanket), {n, n}), recorded);
}

// Lists over the columns; a column without states is a line, and its codes are empty.
std::vector<GapReading> readings(const std::vector<Array1<Index>>& codes, const std::vector<std::uint32_t>& states,
                                 const std::vector<Array1<double>>& lines, const std::vector<double>& nuggets) {
    if (codes.size() != states.size() || lines.size() != states.size() || nuggets.size() != states.size())
        refuse("there are ", codes.size(), " codes, ", states.size(), " states, ", lines.size(), " lines and ",
               nuggets.size(), " nuggets; there must be as many of each");
    std::vector<GapReading> out;
    for (std::size_t v = 0; v < states.size(); ++v) {
        const auto own = span_of<Index, 1>(codes[v]);
        const auto line = span_of<double, 1>(lines[v]);
        out.push_back({{own.begin(), own.end()}, states[v], {line.begin(), line.end()}, nuggets[v]});
    }
    return out;
}

nb::object by_column(const std::vector<std::vector<Index>>& columns, std::size_t rows) {
    std::vector<Index> out;
    for (const auto& column : columns) out.insert(out.end(), column.begin(), column.end());
    return to_numpy(std::move(out), {columns.size(), rows});
}

nb::object dags_as_array(const std::vector<BitMatrix>& dags, std::size_t n) {
    std::vector<std::uint8_t> out(dags.size() * n * n, 0);
    for (std::size_t k = 0; k < dags.size(); ++k)
        for (std::size_t a = 0; a < n; ++a) dags[k].each(a, [&](Index b) { out[(k * n + a) * n + b] = 1; });
    return to_numpy(std::move(out), {dags.size(), n, n});
}

}  // namespace

void bind_augment(nb::module_& m) {
    m.def("size_weights", &size_weights, "sizes"_a, "counts"_a, "states"_a, "configurations"_a, "levels"_a);

    nb::class_<GapSampler>(m, "GapSampler")
        .def(nb::new_(&make_sampler), "columns"_a, "levels"_a, "allowed"_a.noconvert(), "required"_a.noconvert(),
             nb::kw_only(), "forbidden"_a.noconvert().none(), "set"_a.noconvert().none() = nb::none(), "penalty"_a, "sizes"_a, "searched_parents"_a,
             "most_grown"_a, "search_every"_a, "most_candidates"_a, "most_parents"_a, "heats"_a, "settling"_a,
             "rounds"_a, "sweeps"_a, "kept"_a, "chains"_a, "seed"_a)
        .def(
            "run",
            [](GapSampler& self, int fillings, bool record, int threads, nb::handle look) {
                std::optional<Watch> watch = watch_of(look);
                without_gil([&] { self.run(fillings, record, threads, address(watch)); });
            },
            "fillings"_a, nb::kw_only(), "record"_a, "threads"_a, "look"_a.none() = nb::none())
        .def(
            "state",
            [](const GapSampler& self, std::size_t chain) {
                return as_bytes(without_gil([&] { return self.state(chain); }));
            },
            "chain"_a)
        .def(
            "take",
            [](GapSampler& self, std::size_t chain, const nb::bytes& state) {
                without_gil([&, bytes = view_of(state)] { self.take(chain, bytes); });
            },
            "chain"_a, "state"_a)
        .def("tallies", &tallies_of, "chain"_a)
        .def(
            "causes",
            [](const GapSampler& self, std::size_t chain) {
                auto found = without_gil([&] { return self.tallies(chain); });
                return to_numpy(std::move(found.first.causes), {self.n(), self.n()});
            },
            "chain"_a)
        .def(
            "dags",
            [](const GapSampler& self, std::size_t chain) {
                return dags_as_array(without_gil([&] { return self.dags(chain); }), self.n());
            },
            "chain"_a)
        .def(
            "central",
            [](const GapSampler& self, const Reals& arrow, const Reals& line) {
                const std::size_t n = self.n();
                const BitMatrix best =
                    without_gil([&] { return self.central(span_of<double, 2>(arrow), span_of<double, 2>(line)); });
                std::vector<std::uint8_t> out(n * n, 0);
                for (std::size_t a = 0; a < n; ++a) best.each(a, [&](Index b) { out[a * n + b] = 1; });
                return to_numpy(std::move(out), {n, n});
            },
            "arrow"_a.noconvert(), "line"_a.noconvert())
        .def(
            "filled",
            [](const GapSampler& self, std::size_t chain) {
                return by_column(without_gil([&] { return self.filled(chain); }), self.rows());
            },
            "chain"_a)
        .def(
            "donors",
            [](const GapSampler& self, std::size_t chain) {
                return by_column(without_gil([&] { return self.donors(chain); }), self.rows());
            },
            "chain"_a)
        .def(
            "read_as",
            [](GapSampler& self, const std::vector<Array1<Index>>& codes, const std::vector<std::uint32_t>& states,
               const std::vector<Array1<double>>& lines, const std::vector<double>& nuggets) {
                auto read = readings(codes, states, lines, nuggets);
                without_gil([&] { self.read_as(std::move(read)); });
            },
            "codes"_a.noconvert(), "states"_a, "lines"_a.noconvert(), "nuggets"_a)
        .def(
            "rates", [](const GapSampler& self, std::size_t chain) { return without_gil([&] { return self.rates(chain); }); },
            "chain"_a)
        .def_prop_ro("evaluated", [](const GapSampler& self) { return without_gil([&] { return self.evaluated(); }); });
}

}  // namespace paucal
