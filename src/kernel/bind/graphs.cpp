// The face of scores, order search and sampling towards Python; src/paucal/_kernel.pyi describes it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>

#include "bind/arrays.hpp"
#include "graphs/dag_chains.hpp"
#include "graphs/scores.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace paucal {
namespace {

using Matrix = Array2<std::uint8_t>;
using SharedColumns = std::shared_ptr<Columns>;

// A scorer counts and remembers, so that one caller at a time may use it.
struct LockedScorer {
    template <class Rule>
    LockedScorer(std::shared_ptr<const Columns> columns, std::vector<double> levels, Rule rule)
        : scorer(std::move(columns), std::move(levels), std::move(rule)) {}
    Scorer scorer;
    std::mutex busy;
};

template <class Rule>
std::shared_ptr<LockedScorer> make_scorer(std::shared_ptr<Columns> columns, std::vector<double> levels, Rule rule) {
    if (levels.size() != columns->size()) throw nb::value_error("as many numbers of levels as columns are needed");
    return std::make_shared<LockedScorer>(std::move(columns), std::move(levels), std::move(rule));
}

std::vector<Index> unpack(const Columns& columns, nb::tuple members, std::size_t most) {
    if (members.size() > most) throw nb::value_error("too many members");
    std::vector<Index> out;
    for (nb::handle v : members) {
        out.push_back(nb::cast<Index>(v));
        if (out.back() >= columns.size()) throw nb::index_error("no such column");
    }
    return out;
}

ArcRules make_rules(Matrix allowed, Matrix required, double penalty) {
    const std::size_t n = allowed.shape(0);
    if (n == 0 || allowed.shape(1) != n || required.shape(0) != n || required.shape(1) != n)
        throw nb::value_error("allowed and required must be square, of one size and not empty");
    ArcRules rules;
    rules.n = n;
    rules.allowed.assign(allowed.data(), allowed.data() + n * n);
    rules.required.assign(required.data(), required.data() + n * n);
    rules.penalty = penalty;
    for (std::size_t v = 0; v < n; ++v) {
        std::size_t parents = 0;
        for (std::size_t u = 0; u < n; ++u) parents += rules.required[u * n + v] != 0;
        if (parents + 16 >= kMostMembers) throw nb::value_error("too many required parents");
        rules.allowed[v * n + v] = 0;
    }
    for (std::size_t i = 0; i < n * n; ++i)
        if (rules.required[i]) rules.allowed[i] = 0;
    return rules;
}

void check_size(const Columns& columns, const ArcRules& rules) {
    if (columns.size() != rules.n) throw nb::value_error("as many rows and columns as the data have are needed");
}

nb::object matrix_of(const Parents& parents) {
    const std::size_t n = parents.size();
    std::vector<std::uint8_t> out(n * n, 0);
    for (std::size_t v = 0; v < n; ++v)
        for (const Index u : parents[v]) out[u * n + v] = 1;
    return to_numpy(std::move(out), {n, n});
}

nb::object matrix_of(const BitMatrix& rows) {
    const std::size_t n = rows.size();
    std::vector<std::uint8_t> out(n * n, 0);
    for (std::size_t a = 0; a < n; ++a) rows.each(a, [&](Index b) { out[a * n + b] = 1; });
    return to_numpy(std::move(out), {n, n});
}

BitMatrix bits_of(const std::uint8_t* matrix, std::size_t n) {
    BitMatrix out(n);
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
            if (matrix[a * n + b]) out.set(a, b);
    return out;
}

FoundDag found_dag(Array1<Index> order, Matrix dag, std::size_t n) {
    if (order.shape(0) != n || dag.shape(0) != n || dag.shape(1) != n) throw nb::value_error("a start has another size");
    FoundDag found{0, {order.data(), order.data() + n}, Parents(n)};
    std::vector<std::size_t> place(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        if (found.order[i] >= n || place[found.order[i]] != n) throw nb::value_error("an order is no permutation");
        place[found.order[i]] = i;
    }
    for (Index u = 0; u < n; ++u)
        for (Index v = 0; v < n; ++v)
            if (dag.data()[u * n + v]) {
                if (place[u] >= place[v]) throw nb::value_error("an order does not fit its DAG");
                found.parents[v].push_back(u);
            }
    return found;
}

struct Search {
    Search(std::shared_ptr<LockedScorer> scorer, Matrix allowed, Matrix required, double penalty, std::size_t most_parents,
           std::size_t most_candidates)
        : scorer(std::move(scorer)), rules(make_rules(allowed, required, penalty)),
          search(checked(), rules, most_parents, most_candidates) {
        if (most_parents > 16) throw nb::value_error("at most 16 parents");
    }

    nb::tuple climb(std::uint64_t seed, std::uint64_t start) {
        FoundDag found;
        {
            nb::gil_scoped_release release;
            const std::lock_guard lock(scorer->busy);
            Random random(seed, start);
            found = search.climb(random);
        }
        return nb::make_tuple(found.score, to_numpy(std::vector<Index>(found.order)), matrix_of(found.parents));
    }

    Scorer& checked() {
        check_size(scorer->scorer.columns(), rules);
        return scorer->scorer;
    }

    std::shared_ptr<LockedScorer> scorer;
    ArcRules rules;
    OrderSearch search;
};

class Sampler {
public:
    Sampler(std::shared_ptr<LockedScorer> scorer, Matrix allowed, Matrix required, std::optional<Matrix> forbidden,
            double penalty, const std::vector<std::pair<Array1<Index>, Matrix>>& starts, std::size_t most_candidates,
            int most_parents, const std::vector<double>& heats, std::size_t chains, std::uint64_t seed)
        : rules_(make_rules(allowed, required, penalty)) {
        check_size(scorer->scorer.columns(), rules_);
        const std::size_t n = rules_.n;
        if (starts.empty() || heats.empty() || chains == 0) throw nb::value_error("no starts, heats or chains");
        if (most_candidates > 16) throw nb::value_error("at most 16 candidates");
        if (forbidden && (forbidden->shape(0) != n || forbidden->shape(1) != n))
            throw nb::value_error("forbidden has another size");
        std::vector<FoundDag> found;
        for (const auto& [order, dag] : starts) found.push_back(found_dag(order, dag, n));
        if (forbidden) forbidden_.assign(forbidden->data(), forbidden->data() + n * n);
        nb::gil_scoped_release release;
        const std::lock_guard lock(scorer->busy);
        tables_ = std::make_unique<FamilyTables>(
            scorer->scorer, rules_, candidate_parents(scorer->scorer, rules_, found, most_candidates), most_parents, heats);
        for (std::size_t c = 0; c < chains; ++c)
            chains_.push_back(std::make_unique<Chain>(*tables_, rules_, forbidden_.empty() ? nullptr : forbidden_.data(),
                                                      found[c % found.size()], Random(seed, c)));
    }

    // Every chain has its own random numbers, so the number of threads changes nothing but the time.
    void run(int rounds, bool record, int threads) {
        nb::gil_scoped_release release;
        const auto workers = static_cast<std::size_t>(std::clamp<int>(threads, 1, static_cast<int>(chains_.size())));
        const auto work = [&](std::size_t worker) {
            for (std::size_t c = worker; c < chains_.size(); c += workers) chains_[c]->run(rounds, record);
        };
        std::vector<std::thread> pool;
        for (std::size_t w = 1; w < workers; ++w) pool.emplace_back(work, w);
        work(0);
        for (std::thread& thread : pool) thread.join();
    }

    nb::tuple tallies(std::size_t chain) const {
        const Tallies& t = at(chain).tallies();
        const std::size_t n = rules_.n;
        return nb::make_tuple(to_numpy(std::vector<Index>(t.arrow), {n, n}), to_numpy(std::vector<Index>(t.line), {n, n}),
                              to_numpy(std::vector<Index>(t.blanket), {n, n}), t.dags.size());
    }

    nb::tuple best() const {
        const auto best = std::max_element(chains_.begin(), chains_.end(),
                                           [](const auto& a, const auto& b) { return a->best_score() < b->best_score(); });
        return nb::make_tuple((*best)->best_score(), matrix_of(children_of((*best)->best())));
    }

    // The recorded DAG whose class is expected to differ in the fewest pairs.
    nb::object central(Array2<double> arrow, Array2<double> line) const {
        Completion completion(rules_.n, forbidden_.empty() ? nullptr : forbidden_.data());
        const PairProbabilities probabilities{arrow.data(), line.data()};
        const std::vector<std::uint16_t>* best = nullptr;
        double least = 0;
        for (const auto& chain : chains_)
            for (const auto& choice : chain->tallies().dags) {
                completion.complete(children_of(choice));
                const double loss = expected_loss(completion, rules_.n, probabilities);
                if (!best || loss < least) best = &choice, least = loss;
            }
        if (!best) throw nb::value_error("nothing was recorded");
        return matrix_of(children_of(*best));
    }

    nb::object dags(std::size_t chain) const {
        const auto& recorded = at(chain).tallies().dags;
        const std::size_t n = rules_.n;
        std::vector<std::uint8_t> out(recorded.size() * n * n, 0);
        for (std::size_t k = 0; k < recorded.size(); ++k) {
            const BitMatrix children = children_of(recorded[k]);
            for (std::size_t a = 0; a < n; ++a) children.each(a, [&](Index b) { out[(k * n + a) * n + b] = 1; });
        }
        return to_numpy(std::move(out), {recorded.size(), n, n});
    }

    nb::list candidates() const {
        nb::list out;
        for (std::size_t v = 0; v < tables_->size(); ++v) out.append(nb::cast((*tables_)[v].candidates));
        return out;
    }

    nb::tuple rates(std::size_t chain) const { return nb::make_tuple(at(chain).acceptance(), at(chain).swap_rate()); }
    std::uint64_t n_sets() const { return tables_->n_sets(); }

private:
    const Chain& at(std::size_t chain) const {
        if (chain >= chains_.size()) throw nb::index_error("no such chain");
        return *chains_[chain];
    }

    BitMatrix children_of(const std::vector<std::uint16_t>& choice) const {
        BitMatrix children(rules_.n);
        for (std::size_t v = 0; v < rules_.n; ++v) {
            const FamilyTable& family = (*tables_)[v];
            for (const Index u : family.required) children.set(u, v);
            for (std::size_t b = 0; b < family.candidates.size(); ++b)
                if (family.mask[choice[v]] >> b & 1) children.set(family.candidates[b], v);
        }
        return children;
    }

    ArcRules rules_;
    std::vector<std::uint8_t> forbidden_;
    std::unique_ptr<FamilyTables> tables_;
    std::vector<std::unique_ptr<Chain>> chains_;
};

nb::tuple consensus(Array2<double> arrow, Array2<double> line, Matrix allowed, Matrix required,
                    std::optional<Matrix> forbidden, const std::vector<Matrix>& starts) {
    const ArcRules rules = make_rules(allowed, required, 0);
    const std::size_t n = rules.n;
    for (const auto* p : {&arrow, &line})
        if (p->shape(0) != n || p->shape(1) != n) throw nb::value_error("probabilities have another size");
    if (forbidden && (forbidden->shape(0) != n || forbidden->shape(1) != n))
        throw nb::value_error("forbidden has another size");
    std::vector<BitMatrix> dags;
    for (const Matrix& start : starts) {
        if (start.shape(0) != n || start.shape(1) != n) throw nb::value_error("a start has another size");
        dags.push_back(bits_of(start.data(), n));
    }
    if (dags.empty()) throw nb::value_error("no starts");
    std::size_t best = 0;
    double least = 0;
    {
        nb::gil_scoped_release release;
        Completion completion(n, forbidden ? forbidden->data() : nullptr);
        for (std::size_t i = 0; i < dags.size(); ++i) {
            const double loss = improve_consensus(dags[i], {arrow.data(), line.data()}, rules, completion);
            if (i == 0 || loss < least - 1e-12) best = i, least = loss;
        }
    }
    return nb::make_tuple(matrix_of(dags[best]), least);
}

nb::object completed(Matrix dag, std::optional<Matrix> forbidden) {
    const std::size_t n = dag.shape(0);
    if (dag.shape(1) != n || (forbidden && (forbidden->shape(0) != n || forbidden->shape(1) != n)))
        throw nb::value_error("the matrices must be square and of one size");
    Completion completion(n, forbidden ? forbidden->data() : nullptr);
    completion.complete(bits_of(dag.data(), n));
    std::vector<std::uint8_t> out(n * n, 0);
    for (std::size_t a = 0; a < n; ++a) {
        completion.arrows().each(a, [&](Index b) { out[a * n + b] = 1; });
        completion.lines().each(a, [&](Index b) { out[a * n + b] = 1; });
    }
    return to_numpy(std::move(out), {n, n});
}

}  // namespace

void bind_scores(nb::module_& m) {
    m.def("log_multinomial_regret", &log_multinomial_regret, "rows"_a, "cells"_a);
    m.def("completed", &completed, "dag"_a, "forbidden"_a.none());
    m.def("consensus", &consensus, "arrow"_a, "line"_a, "allowed"_a, "required"_a, "forbidden"_a.none(), "starts"_a);

    nb::class_<LockedScorer>(m, "Scorer")
        .def_static(
            "dirichlet",
            [](SharedColumns columns, std::vector<double> levels, std::vector<double> sizes) {
                if (sizes.empty()) throw nb::value_error("no equivalent sample sizes");
                auto score = dirichlet_score(columns->rows(), std::move(sizes));
                return make_scorer(std::move(columns), std::move(levels), std::move(score));
            },
            "columns"_a, "levels"_a, "sizes"_a)
        .def_static(
            "fit",
            [](SharedColumns columns, std::vector<double> levels, double per_parameter) {
                auto score = fit_score(columns->rows(), per_parameter);
                return make_scorer(std::move(columns), std::move(levels), std::move(score));
            },
            "columns"_a, "levels"_a, "per_parameter"_a)
        .def_static(
            "qnml",
            [](SharedColumns columns, std::vector<double> levels) {
                auto score = qnml_score(columns->rows());
                return make_scorer(std::move(columns), std::move(levels), std::move(score));
            },
            "columns"_a, "levels"_a)
        .def_static(
            "family",
            [](SharedColumns columns, std::vector<double> levels, bool shared, double size) {
                return make_scorer(std::move(columns), std::move(levels), FamilyPrior{shared, size});
            },
            "columns"_a, "levels"_a, "shared"_a, "size"_a)
        .def(
            "set",
            [](LockedScorer& self, nb::tuple members) {
                const auto v = unpack(self.scorer.columns(), members, kMostMembers);
                if (!self.scorer.of_sets()) throw nb::type_error("this score is none of sets");
                const std::lock_guard lock(self.busy);
                return self.scorer.set(v.data(), static_cast<int>(v.size()));
            },
            "members"_a)
        .def(
            "local",
            [](LockedScorer& self, Index child, nb::tuple parents) {
                const auto v = unpack(self.scorer.columns(), parents, kMostMembers - 1);
                if (child >= self.scorer.columns().size()) throw nb::index_error("no such column");
                const std::lock_guard lock(self.busy);
                return self.scorer.local(child, v.data(), static_cast<int>(v.size()));
            },
            "child"_a, "parents"_a)
        .def_prop_ro("evaluated", [](LockedScorer& self) { return self.scorer.evaluated(); });

    nb::class_<Search>(m, "OrderSearch")
        .def(nb::init<std::shared_ptr<LockedScorer>, Matrix, Matrix, double, std::size_t, std::size_t>(), "scorer"_a,
             "allowed"_a, "required"_a, "penalty"_a, "most_parents"_a, "most_candidates"_a)
        .def("climb", &Search::climb, "seed"_a, "start"_a);

    nb::class_<Sampler>(m, "DagSampler")
        .def(nb::init<std::shared_ptr<LockedScorer>, Matrix, Matrix, std::optional<Matrix>, double,
                      const std::vector<std::pair<Array1<Index>, Matrix>>&, std::size_t, int, const std::vector<double>&,
                      std::size_t, std::uint64_t>(),
             "scorer"_a, "allowed"_a, "required"_a, "forbidden"_a.none(), "penalty"_a, "starts"_a, "most_candidates"_a,
             "most_parents"_a, "heats"_a, "chains"_a, "seed"_a)
        .def("run", &Sampler::run, "rounds"_a, "record"_a, "threads"_a)
        .def("tallies", &Sampler::tallies, "chain"_a)
        .def("best", &Sampler::best)
        .def("central", &Sampler::central, "arrow"_a, "line"_a)
        .def("dags", &Sampler::dags, "chain"_a)
        .def("rates", &Sampler::rates, "chain"_a)
        .def_prop_ro("candidates", &Sampler::candidates)
        .def_prop_ro("n_sets", &Sampler::n_sets);
}

}  // namespace paucal
