// Scores, order search and sampling.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/arrays.hpp"
#include "bind/watching.hpp"
#include "errors.hpp"
#include "graphs/consensus.hpp"
#include "graphs/elimination.hpp"
#include "graphs/sampler.hpp"
#include "math/special.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace paucal {
namespace {

using Matrix = Array2<std::uint8_t>;
using Reals = Array2<double>;
using Scores = std::shared_ptr<SharedScorer>;

Bytes square(const Matrix& matrix) {
    if (matrix.shape(0) != matrix.shape(1))
        refuse("a matrix is ", matrix.shape(0), " by ", matrix.shape(1), "; it must be square");
    return span_of<std::uint8_t, 2>(matrix);
}
Bytes square(const std::optional<Matrix>& matrix) { return matrix ? square(*matrix) : Bytes{}; }

ArcRules rules_of(const Matrix& allowed, const Matrix& required, double penalty) {
    return arc_rules(allowed.shape(0), square(allowed), square(required), penalty);
}

nb::object matrix_of(const BitMatrix& rows) {
    const std::size_t n = rows.size();
    std::vector<std::uint8_t> out(n * n, 0);
    for (std::size_t a = 0; a < n; ++a) rows.each(a, [&](Index b) { out[a * n + b] = 1; });
    return to_numpy(std::move(out), {n, n});
}

template <class Rule> Scores scorer(std::shared_ptr<Columns> columns, std::vector<double> levels, Rule rule) {
    return std::make_shared<SharedScorer>(std::move(columns), std::move(levels), std::move(rule));
}

Scores mixed_scorer(std::shared_ptr<Columns> columns, std::vector<double> levels, std::vector<double> sizes,
                    const Reals& lines, std::vector<double> nuggets, std::vector<Index> forms) {
    std::vector<std::vector<double>> z;
    for (std::size_t i = 0; i < lines.shape(0); ++i)
        z.emplace_back(lines.data() + i * lines.shape(1), lines.data() + (i + 1) * lines.shape(1));
    auto score = dirichlet_score(columns->samples(), std::move(sizes));
    auto numbers = std::make_unique<Lines>(columns, std::move(z), std::move(nuggets));
    return std::make_shared<SharedScorer>(std::move(columns), std::move(levels), std::move(score), std::move(numbers),
                                          std::move(forms));
}

nb::tuple found_tuple(FoundDag found) {
    BitMatrix children(found.parents.size());
    for (std::size_t v = 0; v < found.parents.size(); ++v)
        for (const Index u : found.parents[v]) children.set(u, v);
    return nb::make_tuple(found.score, to_numpy(std::move(found.order)), matrix_of(children));
}

nb::list climb(SharedOrderSearch& search, std::uint64_t seed, std::uint64_t start, std::size_t kicks, nb::handle look) {
    nb::list out;
    std::optional<Watch> watch = watch_of(look);
    for (FoundDag& found : without_gil([&] { return search.climb(seed, start, kicks, address(watch)); }))
        out.append(found_tuple(std::move(found)));
    return out;
}

using Start = std::pair<Array1<Index>, Matrix>;

GivenDag given(const Start& start) { return {span_of<Index, 1>(start.first), square(start.second)}; }

nb::tuple improve(SharedOrderSearch& search, std::uint64_t seed, const std::vector<Start>& found, std::size_t patience,
                  nb::handle look) {
    std::optional<Watch> watch = watch_of(look);
    std::vector<GivenDag> from;
    for (const Start& one : found) from.push_back(given(one));
    return found_tuple(without_gil([&] { return search.improve(seed, from, patience, address(watch)); }));
}

std::shared_ptr<DagSampler> make_sampler(const Scores& scorer, const Matrix& allowed, const Matrix& required,
                                         const std::optional<Matrix>& forbidden, double penalty,
                                         const std::vector<Start>& starts,
                                         const std::vector<std::vector<Matrix>>& met,
                                         const std::vector<ParentGroups>& groups, std::size_t most_candidates, int most_parents, std::vector<double> heats,
                                         std::size_t chains, std::uint64_t seed, nb::handle look) {
    ArcRules rules = rules_of(allowed, required, penalty);
    std::vector<FoundDag> found;
    for (const auto& [order, dag] : starts) found.push_back(found_dag(span_of<Index, 1>(order), square(dag), rules));
    std::vector<std::vector<BitMatrix>> before(met.size());
    for (std::size_t i = 0; i < met.size(); ++i)
        for (const Matrix& dag : met[i]) before[i].push_back(dag_of(square(dag), rules.n));
    const Bytes known = square(forbidden);
    std::optional<Watch> watch = watch_of(look);
    return without_gil([&] {
        return std::make_shared<DagSampler>(
            scorer, std::move(rules), std::vector<std::uint8_t>(known.begin(), known.end()), found, before, groups,
            DagSampler::Plan{most_candidates, most_parents, std::move(heats), chains, seed}, address(watch));
    });
}

nb::tuple tallies_of(const DagSampler& sampler, std::size_t chain) {
    Tallies t = without_gil([&] { return sampler.tallies(chain); });
    const std::size_t n = sampler.n(), recorded = t.dags.size();
    return nb::make_tuple(to_numpy(std::move(t.arrow), {n, n}), to_numpy(std::move(t.line), {n, n}),
                          to_numpy(std::move(t.blanket), {n, n}), recorded);
}

nb::object dags_of(const DagSampler& sampler, std::size_t chain) {
    const std::vector<BitMatrix> dags = without_gil([&] { return sampler.dags(chain); });
    const std::size_t n = sampler.n();
    std::vector<std::uint8_t> out(dags.size() * n * n, 0);
    for (std::size_t k = 0; k < dags.size(); ++k)
        for (std::size_t a = 0; a < n; ++a) dags[k].each(a, [&](Index b) { out[(k * n + a) * n + b] = 1; });
    return to_numpy(std::move(out), {dags.size(), n, n});
}

nb::object joined_of(const DagSampler& sampler, std::size_t chain, const Array1<Index>& a, const Array1<Index>& b) {
    const std::size_t pairs = a.shape(0);
    std::vector<std::uint8_t> out =
        without_gil([&] { return sampler.joined(chain, span_of<Index, 1>(a), span_of<Index, 1>(b)); });
    const std::size_t records = pairs ? out.size() / pairs : 0;
    return to_numpy(std::move(out), {records, pairs});
}

nb::tuple best_of(const DagSampler& sampler) {
    const auto best = without_gil([&] { return sampler.best(); });
    return nb::make_tuple(best.first, matrix_of(best.second));
}

nb::tuple consensus_of(const Reals& arrow, const Reals& line, const Matrix& allowed, const Matrix& required,
                       const std::optional<Matrix>& forbidden, const std::vector<Matrix>& starts, std::uint64_t looks,
                       std::uint64_t nodes, double slack, nb::handle look) {
    const ArcRules rules = rules_of(allowed, required, 0);
    std::vector<BitMatrix> dags;
    for (const Matrix& start : starts) dags.push_back(dag_of(square(start), rules.n));
    const Bytes known = square(forbidden);
    std::optional<Watch> watch = watch_of(look);
    ConsensusFound found = without_gil([&] {
        return consensus(dags, span_of<double, 2>(arrow), span_of<double, 2>(line), rules, known, {looks, nodes, slack},
                         address(watch));
    });
    nb::list best;
    for (const BitMatrix& dag : found.dags) best.append(matrix_of(dag));
    return nb::make_tuple(best, found.losses, found.proven);
}

nb::tuple hill_climbed(SharedScorer& scorer, const Matrix& allowed, const Matrix& required, const Matrix& start,
                       std::size_t most_parents, std::size_t tabu, std::size_t patience, nb::handle look) {
    const ArcRules rules = rules_of(allowed, required, 0);
    const BitMatrix from = dag_of(square(start), start.shape(0));
    std::optional<Watch> watch = watch_of(look);
    const Summit found =
        without_gil([&] { return hill_climb(scorer, rules, from, {most_parents, tabu, patience}, address(watch)); });
    return nb::make_tuple(matrix_of(found.dag), found.steps, found.evaluated);
}

// The values of a table of any number of axes, and the nodes they are about.
using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

nb::object eliminated(const std::vector<Index>& levels, const std::vector<std::vector<Index>>& scopes,
                      const std::vector<Numbers>& tables, const std::vector<Index>& query, std::uint64_t most_cells) {
    if (scopes.size() != tables.size()) refuse(scopes.size(), " scopes and ", tables.size(), " tables were given");
    std::vector<Factor> factors;
    for (std::size_t i = 0; i < scopes.size(); ++i)
        factors.push_back({scopes[i], {tables[i].data(), tables[i].size()}});
    Eliminated found = without_gil([&] { return eliminate(levels, factors, query, most_cells); });
    if (found.values.empty()) return nb::make_tuple(found.cells, found.nodes);
    std::vector<std::size_t> shape;
    for (const Index v : query) shape.push_back(levels[v]);
    return to_numpy(std::move(found.values), shape);
}

}  // namespace

void bind_graphs(nb::module_& m) {
    m.def("eliminate", &eliminated, "levels"_a, "scopes"_a, "tables"_a, "query"_a, nb::kw_only(), "most_cells"_a);
    m.def(
        "completed",
        [](const Matrix& dag, const std::optional<Matrix>& forbidden) {
            return matrix_of(completed(dag_of(square(dag), dag.shape(0)), square(forbidden)));
        },
        "dag"_a.noconvert(), "forbidden"_a.noconvert().none());
    m.def(
        "extended",
        [](const Matrix& pdag) {
            Extension found = extended(bits_of(square(pdag), pdag.shape(0)));
            return nb::make_tuple(matrix_of(found.children), std::move(found.left));
        },
        "pdag"_a.noconvert());
    m.def(
        "unshielded_triples",
        [](const Matrix& adjacency) {
            const BitMatrix joined = bits_of(square(adjacency), adjacency.shape(0));
            Triples found = without_gil([&] { return unshielded_triples(joined); });
            return nb::make_tuple(to_numpy(std::move(found.a)), to_numpy(std::move(found.c)), to_numpy(std::move(found.b)));
        },
        "adjacency"_a.noconvert());
    m.def("consensus", &consensus_of, "arrow"_a.noconvert(), "line"_a.noconvert(), "allowed"_a.noconvert(),
          "required"_a.noconvert(), "forbidden"_a.noconvert().none(), "starts"_a, nb::kw_only(), "looks"_a, "nodes"_a,
          "slack"_a, "look"_a.none() = nb::none());

    nb::class_<SharedScorer>(m, "Scorer")
        .def_static(
            "dirichlet",
            [](std::shared_ptr<Columns> columns, std::vector<double> levels, std::vector<double> sizes) {
                auto score = dirichlet_score(columns->samples(), std::move(sizes));
                return scorer(std::move(columns), std::move(levels), std::move(score));
            },
            "columns"_a, "levels"_a, nb::kw_only(), "sizes"_a)
        .def_static(
            "fit",
            [](std::shared_ptr<Columns> columns, std::vector<double> levels, double per_parameter) {
                auto score = fit_score(columns->samples(), per_parameter);
                return scorer(std::move(columns), std::move(levels), std::move(score));
            },
            "columns"_a, "levels"_a, nb::kw_only(), "per_parameter"_a)
        .def_static(
            "qnml",
            [](std::shared_ptr<Columns> columns, std::vector<double> levels) {
                auto score = qnml_score(columns->samples());
                return scorer(std::move(columns), std::move(levels), std::move(score));
            },
            "columns"_a, "levels"_a)
        .def_static(
            "family",
            [](std::shared_ptr<Columns> columns, std::vector<double> levels, bool shared, double size) {
                return scorer(std::move(columns), std::move(levels), FamilyPrior{shared, size});
            },
            "columns"_a, "levels"_a, nb::kw_only(), "shared"_a, "size"_a)
        .def_static("mixed", &mixed_scorer, "columns"_a, "levels"_a, nb::kw_only(), "sizes"_a, "lines"_a.noconvert(),
                    "nuggets"_a, "forms"_a)
        .def(
            "use",
            [](SharedScorer& self, std::vector<Index> forms) { without_gil([&] { self.use(std::move(forms)); }); },
            "forms"_a)
        .def(
            "set",
            [](SharedScorer& self, const std::vector<Index>& members) {
                return without_gil([&] { return self.set(members); });
            },
            "members"_a)
        .def(
            "local",
            [](SharedScorer& self, Index child, const std::vector<Index>& parents) {
                return without_gil([&] { return self.local(child, parents); });
            },
            "child"_a, "parents"_a)
        .def(
            "ask_instead",
            [](SharedScorer& self, Index child, Scores other) {
                without_gil([&] { self.ask_instead(child, std::move(other)); });
            },
            "child"_a, "other"_a)
        .def_prop_ro("evaluated", [](SharedScorer& self) { return without_gil([&] { return self.evaluated(); }); });

    m.def("hill_climb", &hill_climbed, "scorer"_a, "allowed"_a.noconvert(), "required"_a.noconvert(),
          "start"_a.noconvert(), nb::kw_only(), "most_parents"_a, "tabu"_a, "patience"_a, "look"_a.none() = nb::none());

    nb::class_<SharedOrderSearch>(m, "OrderSearch")
        .def(nb::new_([](const Scores& scorer, const Matrix& allowed, const Matrix& required, double penalty,
                         std::size_t most_parents, std::size_t most_candidates, nb::handle look) {
                 ArcRules rules = rules_of(allowed, required, penalty);
                 std::optional<Watch> watch = watch_of(look);
                 return without_gil([&] {
                     return std::make_shared<SharedOrderSearch>(scorer, std::move(rules), most_parents, most_candidates,
                                                                address(watch));
                 });
             }),
             "scorer"_a, "allowed"_a.noconvert(), "required"_a.noconvert(), nb::kw_only(), "penalty"_a,
             "most_parents"_a, "most_candidates"_a, "look"_a.none() = nb::none())
        .def("climb", &climb, "seed"_a, "start"_a, "kicks"_a, "look"_a.none() = nb::none())
        .def("improve", &improve, "seed"_a, "found"_a, "patience"_a, "look"_a.none() = nb::none())
        .def(
            "near",
            [](SharedOrderSearch& self, const Start& best, const Start& other) {
                return found_tuple(without_gil([&] { return self.near(given(best), given(other)); }));
            },
            "best"_a, "other"_a)
        .def("groups", &SharedOrderSearch::groups);

    nb::class_<DagSampler>(m, "DagSampler")
        .def(nb::new_(&make_sampler), "scorer"_a, "allowed"_a.noconvert(), "required"_a.noconvert(), nb::kw_only(),
             "forbidden"_a.noconvert().none(), "penalty"_a, "starts"_a, "met"_a, "groups"_a, "most_candidates"_a, "most_parents"_a, "heats"_a,
             "chains"_a, "seed"_a, "look"_a.none() = nb::none())
        .def(
            "run",
            [](DagSampler& self, int rounds, bool record, int threads, nb::handle look) {
                std::optional<Watch> watch = watch_of(look);
                without_gil([&] { self.run(rounds, record, threads, address(watch)); });
            },
            "rounds"_a, nb::kw_only(), "record"_a, "threads"_a, "look"_a.none() = nb::none())
        .def(
            "packed",
            [](const DagSampler& self, std::size_t chain) {
                return as_bytes(without_gil([&] { return self.packed(chain); }));
            },
            "chain"_a)
        .def_static(
            "unpacked",
            [](const nb::bytes& packed) {
                return without_gil([bytes = view_of(packed)] { return DagSampler::unpacked(bytes); });
            },
            "packed"_a)
        .def(
            "state",
            [](const DagSampler& self, std::size_t chain) {
                return as_bytes(without_gil([&] { return self.state(chain); }));
            },
            "chain"_a)
        .def(
            "take",
            [](DagSampler& self, std::size_t chain, const nb::bytes& state) {
                without_gil([&, bytes = view_of(state)] { self.take(chain, bytes); });
            },
            "chain"_a, "state"_a)
        .def("tallies", &tallies_of, "chain"_a)
        .def(
            "causes",
            [](const DagSampler& self, std::size_t chain) {
                Tallies t = without_gil([&] { return self.tallies(chain); });
                return to_numpy(std::move(t.causes), {self.n(), self.n()});
            },
            "chain"_a)
        .def("joined", &joined_of, "chain"_a, "a"_a.noconvert(), "b"_a.noconvert())
        .def(
            "joined_counts",
            [](const DagSampler& self, std::size_t chain, std::size_t begin, std::size_t end) {
                return to_numpy(without_gil([&] { return self.joined_counts(chain, begin, end); }), {self.n(), self.n()});
            },
            "chain"_a, "begin"_a, "end"_a)
        .def("best", &best_of)
        .def(
            "central",
            [](const DagSampler& self, const Reals& arrow, const Reals& line) {
                return matrix_of(
                    without_gil([&] { return self.central(span_of<double, 2>(arrow), span_of<double, 2>(line)); }));
            },
            "arrow"_a.noconvert(), "line"_a.noconvert())
        .def("dags", &dags_of, "chain"_a)
        .def(
            "dag",
            [](const DagSampler& self, std::size_t chain, std::size_t number) {
                return matrix_of(without_gil([&] { return self.dag(chain, number); }));
            },
            "chain"_a, "number"_a)
        .def(
            "rates", [](const DagSampler& self, std::size_t chain) { return without_gil([&] { return self.rates(chain); }); },
            "chain"_a)
        .def("candidates", &DagSampler::candidates, "chain"_a)
        .def_prop_ro("n_sets", &DagSampler::n_sets);
}

}  // namespace paucal
