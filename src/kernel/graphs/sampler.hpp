// Order search and sampling as a caller uses them: arguments checked, and one call served after the other, so that several
// threads may share a scorer, a search or a sampler and get the numbers that one after the other would give.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphs/classes.hpp"
#include "graphs/climb.hpp"
#include "graphs/dag_chains.hpp"
#include "graphs/orders.hpp"
#include "graphs/scores.hpp"

namespace paucal {

using Index = std::uint32_t;
using Bytes = std::span<const std::uint8_t>;  // a square matrix, row-major

// A scorer counts and remembers: whoever uses it holds `busy`.
struct SharedScorer {
    template <class Rule>
    SharedScorer(std::shared_ptr<const Columns> columns, std::vector<double> levels, Rule rule)
        : scorer(std::move(columns), std::move(levels), std::move(rule)) {}

    SharedScorer(std::shared_ptr<const Columns> columns, std::vector<double> levels, std::unique_ptr<SetScore> score,
                 std::unique_ptr<Lines> lines, std::vector<Index> forms)
        : scorer(std::move(columns), std::move(levels), std::move(score), std::move(lines), std::move(forms)) {}

    void use(std::vector<Index> forms);
    double set(const std::vector<Index>& members);
    double local(Index child, const std::vector<Index>& parents);
    std::uint64_t evaluated();

    // Families of a child are scored by another scorer, of the same columns and other rows.
    void ask_instead(Index child, std::shared_ptr<SharedScorer> other);

    Scorer scorer;
    std::mutex busy;

private:
    void check(const std::vector<Index>& members) const;
    std::vector<std::shared_ptr<SharedScorer>> others_;
    bool asked_ = false;  // by another scorer: then it asks nobody, so that no two wait for each other
};

// Which arcs there may and must be; required ones must not form a cycle.
ArcRules arc_rules(std::size_t n, Bytes allowed, Bytes required, double penalty);

// The bits of a square matrix.
BitMatrix bits_of(Bytes matrix, std::size_t n);

// The bits of a matrix that is a DAG.
BitMatrix dag_of(Bytes matrix, std::size_t n);

// Hill climbing from a DAG that fits the rules: the best DAG, the moves, and the different families scored on the way.
struct Summit {
    BitMatrix dag;
    std::uint64_t steps, evaluated;
};
Summit hill_climb(SharedScorer& scorer, const ArcRules& rules, const BitMatrix& start, const ClimbPlan& plan, Watch* watch);

// A DAG with an order that fits it and the rules.
FoundDag found_dag(std::span<const Index> order, Bytes dag, const ArcRules& rules);

using GivenDag = std::pair<std::span<const Index>, Bytes>;  // an order and the matrix of a DAG that it fits

class SharedOrderSearch {
public:
    SharedOrderSearch(std::shared_ptr<SharedScorer> scorer, ArcRules rules, std::size_t most_parents,
                      std::size_t most_candidates, Watch* watch = nullptr);
    std::vector<FoundDag> climb(std::uint64_t seed, std::uint64_t start, std::size_t kicks, Watch* watch = nullptr);
    // From one DAG or more.
    FoundDag improve(std::uint64_t seed, const std::vector<GivenDag>& found, std::size_t patience, Watch* watch = nullptr);
    FoundDag near(const GivenDag& best, const GivenDag& other);
    const std::vector<ParentGroups>& groups() const { return search_->groups(); }

private:
    std::shared_ptr<SharedScorer> scorer_;
    ArcRules rules_;
    std::unique_ptr<OrderSearch> search_;
};

class DagSampler {
public:
    struct Plan {
        std::size_t most_candidates;
        int most_parents;
        std::vector<double> heats;
        std::size_t chains;
        std::uint64_t seed;
    };
    // `forbidden` is empty without background knowledge. Chains begin with the starts; candidate parents are what the
    // starts and the DAGs that were met before speak for. These come in lists: chains take them in turn, each list
    // with tables of its own, so that what a table lacks shows as a difference between chains. `groups` has, of every
    // node, parents that may help only together. Who watches may end the preparations: tables are smaller then.
    DagSampler(const std::shared_ptr<SharedScorer>& scorer, ArcRules rules, std::vector<std::uint8_t> forbidden,
               const std::vector<FoundDag>& starts, const std::vector<std::vector<BitMatrix>>& met,
               const std::vector<ParentGroups>& groups, const Plan& plan, Watch* watch = nullptr);

    // One chain as bytes, to go on in another process: with its tables, as a sampler that has this chain alone; or what it
    // has come to, which the same chain takes in here. It goes on with the same random numbers, so where it runs makes no
    // difference. Bytes that are damaged or of another sampler are refused, and nothing changes.
    std::string packed(std::size_t chain) const;
    static std::shared_ptr<DagSampler> unpacked(std::string_view bytes);
    std::string state(std::size_t chain) const;
    void take(std::size_t chain, std::string_view state);

    // Every chain has its own random numbers, so the number of threads changes nothing but the time. Who watches may end
    // it, after half a round of every chain at the earliest.
    void run(int rounds, bool record, int threads, Watch* watch = nullptr);

    std::size_t n() const { return rules_.n; }
    std::uint64_t n_sets() const;  // of parents, in all tables
    std::vector<std::vector<Index>> candidates(std::size_t chain) const;

    Tallies tallies(std::size_t chain) const;
    std::pair<double, double> rates(std::size_t chain) const;  // accepted relocations, swaps
    std::vector<BitMatrix> dags(std::size_t chain) const;
    BitMatrix dag(std::size_t chain, std::size_t number) const;  // one of them
    // Which of the pairs (a, b) each recorded DAG joins: [record * pairs + pair].
    std::vector<std::uint8_t> joined(std::size_t chain, std::span<const Index> a, std::span<const Index> b) const;
    // How many of the DAGs from one record up to another join each pair: [a * n + b].
    std::vector<std::uint32_t> joined_counts(std::size_t chain, std::size_t begin, std::size_t end) const;
    std::pair<double, BitMatrix> best() const;
    // The recorded DAG whose class is expected to differ in the fewest pairs.
    BitMatrix central(std::span<const double> arrow, std::span<const double> line) const;

private:
    explicit DagSampler(StateReader& in);
    const Chain& at(std::size_t chain) const;
    const FamilyTables& tables(std::size_t chain) const { return *tables_[chain % tables_.size()]; }
    BitMatrix children_of(std::size_t chain, const std::vector<std::uint16_t>& choice) const;

    ArcRules rules_;
    std::vector<std::uint8_t> forbidden_;
    std::vector<std::unique_ptr<FamilyTables>> tables_;
    std::vector<std::unique_ptr<Chain>> chains_;
    mutable std::mutex busy_;  // held by who runs or reads the chains
};

// Arrows and lines of the class of a DAG: entry [a][b] and not [b][a] is a -> b, both is a -- b.
BitMatrix completed(const BitMatrix& dag, Bytes forbidden);

}  // namespace paucal
