#include "graphs/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "share_out.hpp"
#include "errors.hpp"
#include "math/random.hpp"

namespace paucal {
namespace {

constexpr std::size_t kMostParents = 16;     // besides the required ones
constexpr std::size_t kMostCandidates = 16;  // their subsets are tabulated
constexpr int kAllSetsTo = 4;                // parents; larger sets are tabulated where they pay
constexpr std::size_t kMostChains = 4096;
constexpr std::size_t kMostColumns = 1 << 16;
constexpr std::size_t kMostKicks = 1 << 20;
constexpr std::uint32_t kPacked = 0x43474450, kState = 0x53474450;  // "PDGC", "PDGS"
constexpr const char* kPackedName = "a chain of DAGs with its tables";
constexpr const char* kStateName = "a state of a chain of DAGs";
constexpr std::uint64_t kImproving = ~std::uint64_t{0};  // a stream of random numbers that no start has

void check_square(const char* name, std::size_t size, std::size_t n) {
    if (size != n * n) refuse(name, " must be a square matrix over the ", n, " columns");
}

const std::uint8_t* or_null(Bytes matrix, std::size_t n) {
    if (matrix.empty()) return nullptr;
    check_square("forbidden", matrix.size(), n);
    return matrix.data();
}

// One parent more, and the child, must still make a family.
void check_sizes(const Parents& parents) {
    for (std::size_t v = 0; v < parents.size(); ++v)
        if (parents[v].size() + 2 > static_cast<std::size_t>(kMostMembers))
            refuse("column ", v, " has ", parents[v].size(), " parents in a DAG; there may be at most ", kMostMembers - 2);
}

Parents parents_of(const BitMatrix& children, const ArcRules& rules) {
    if (children.size() != rules.n) refuse("a DAG has ", children.size(), " columns and the data have ", rules.n);
    Parents out(rules.n);
    for (Index a = 0; a < rules.n; ++a) children.each(a, [&](Index b) { out[b].push_back(a); });
    check_sizes(out);
    return out;
}

// Ascending, and each of them a possible parent.
void check_groups(const std::vector<ParentGroups>& groups, const ArcRules& rules) {
    if (groups.size() != rules.n) refuse("there are groups of parents for ", groups.size(), " of ", rules.n, " columns");
    for (Index v = 0; v < rules.n; ++v)
        for (const std::vector<Index>& group : groups[v])
            for (std::size_t i = 0; i < group.size(); ++i)
                if (group[i] >= rules.n || !rules.may(group[i], v) || (i > 0 && group[i - 1] >= group[i]) ||
                    group.size() > kMostParents)
                    refuse("a group of parents of column ", v, " must be up to ", kMostParents,
                           " of its possible parents, in ascending order");
}

PairProbabilities probabilities(std::span<const double> arrow, std::span<const double> line, std::size_t n) {
    check_square("arrow", arrow.size(), n);
    check_square("line", line.size(), n);
    return {arrow.data(), line.data()};
}

}  // namespace

void SharedScorer::check(const std::vector<Index>& members) const {
    const std::size_t n = scorer.size();
    if (members.size() > static_cast<std::size_t>(kMostMembers)) refuse("a family has at most ", kMostMembers, " members");
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i] >= n) throw std::out_of_range(say("there is no column ", members[i], "; the data have ", n));
        for (std::size_t j = 0; j < i; ++j)
            if (members[i] == members[j]) refuse("column ", members[i], " occurs twice in a family");
    }
}

void SharedScorer::use(std::vector<Index> forms) {
    const std::lock_guard lock(busy);
    scorer.use(std::move(forms));
}

double SharedScorer::set(const std::vector<Index>& members) {
    check(members);
    if (!scorer.of_sets()) refuse("this score is one of families, not of sets");
    const std::lock_guard lock(busy);
    return scorer.set(members.data(), static_cast<int>(members.size()));
}

double SharedScorer::local(Index child, const std::vector<Index>& parents) {
    std::vector<Index> family(parents);
    family.push_back(child);
    check(family);
    const std::lock_guard lock(busy);
    return scorer.local(child, parents.data(), static_cast<int>(parents.size()));
}

std::uint64_t SharedScorer::evaluated() {
    const std::lock_guard lock(busy);
    std::uint64_t sum = scorer.evaluated();
    for (const auto& other : others_) sum += other->evaluated();
    return sum;
}

void SharedScorer::ask_instead(Index child, std::shared_ptr<SharedScorer> other) {
    const std::size_t n = scorer.size();
    if (child >= n) throw std::out_of_range(say("there is no column ", child, "; the data have ", n));
    if (!other || other.get() == this) refuse("a scorer cannot ask itself");
    {
        const std::lock_guard lock(other->busy);
        if (other->scorer.size() != n)
            refuse("the other scorer has ", other->scorer.size(), " columns; it needs ", n);
        if (other->scorer.asks_others()) refuse("the other scorer asks others itself");
        other->asked_ = true;
    }
    const std::lock_guard lock(busy);
    if (asked_) refuse("this scorer is asked by another one");
    scorer.ask_instead(child, [raw = other.get()](Index c, const Index* parents, int count) {
        const std::lock_guard one(raw->busy);
        return raw->scorer.local(c, parents, count);
    });
    others_.push_back(std::move(other));
}

ArcRules arc_rules(std::size_t n, Bytes allowed, Bytes required, double penalty) {
    if (n == 0) refuse("allowed is empty; there must be at least one column");
    check_square("allowed", allowed.size(), n);
    check_square("required", required.size(), n);
    check_finite("penalty", penalty);
    ArcRules rules;
    rules.n = n;
    rules.allowed.assign(allowed.begin(), allowed.end());
    rules.required.assign(required.begin(), required.end());
    rules.penalty = penalty;
    if (!acyclic(bits_of(required, n))) refuse("the required arcs form a cycle");
    for (std::size_t v = 0; v < n; ++v) {
        std::size_t parents = 0;
        for (std::size_t u = 0; u < n; ++u) parents += rules.required[u * n + v] != 0;
        if (parents + kMostParents >= kMostMembers)
            refuse("column ", v, " has ", parents, " required parents; there may be at most ",
                   kMostMembers - kMostParents - 1);
        rules.allowed[v * n + v] = 0;
    }
    for (std::size_t i = 0; i < n * n; ++i)
        if (rules.required[i]) rules.allowed[i] = 0;
    return rules;
}

BitMatrix bits_of(Bytes matrix, std::size_t n) {
    BitMatrix out(n);
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
            if (matrix[a * n + b]) out.set(a, b);
    return out;
}

BitMatrix dag_of(Bytes matrix, std::size_t n) {
    check_square("a DAG", matrix.size(), n);
    BitMatrix out = bits_of(matrix, n);
    if (!acyclic(out)) refuse("the matrix has a cycle; it must be a DAG");
    return out;
}

Summit hill_climb(SharedScorer& scorer, const ArcRules& rules, const BitMatrix& start, const ClimbPlan& plan,
                  Watch* watch) {
    check_square("allowed", rules.allowed.size(), scorer.scorer.size());
    check_square("the start", start.size() * start.size(), rules.n);
    Parents parents(rules.n);
    for (Index a = 0; a < rules.n; ++a)
        for (Index b = 0; b < rules.n; ++b) {
            if (rules.must(a, b) && !start.has(a, b)) refuse("the start lacks the required arc from ", a, " to ", b);
            if (start.has(a, b)) parents[b].push_back(a);
        }
    check_sizes(parents);
    const std::lock_guard lock(scorer.busy);
    Climb climb(scorer.scorer, rules, start, plan);
    BitMatrix dag = climb.run(watch);
    return {std::move(dag), climb.steps(), climb.evaluated()};
}

FoundDag found_dag(std::span<const Index> order, Bytes dag, const ArcRules& rules) {
    const std::size_t n = rules.n;
    if (order.size() != n) refuse("an order names ", order.size(), " of ", n, " columns");
    check_square("the DAG of a start", dag.size(), n);
    FoundDag found{0, {order.begin(), order.end()}, Parents(n)};
    std::vector<std::size_t> place(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        if (order[i] >= n || place[order[i]] != n) refuse("an order is no permutation of the columns");
        place[order[i]] = i;
    }
    for (Index u = 0; u < n; ++u)
        for (Index v = 0; v < n; ++v) {
            if ((dag[u * n + v] || rules.must(u, v)) && place[u] >= place[v])
                refuse("an order does not fit its DAG: ", u, " stands behind its child ", v);
            if (dag[u * n + v]) found.parents[v].push_back(u);
        }
    check_sizes(found.parents);
    return found;
}

SharedOrderSearch::SharedOrderSearch(std::shared_ptr<SharedScorer> scorer, ArcRules rules, std::size_t most_parents,
                                     std::size_t most_candidates, Watch* watch)
    : scorer_(std::move(scorer)), rules_(std::move(rules)) {
    check_square("allowed", rules_.allowed.size(), scorer_->scorer.size());
    if (most_parents > kMostParents) refuse("most_parents is ", most_parents, "; it may be at most ", kMostParents);
    const std::lock_guard lock(scorer_->busy);
    search_ = std::make_unique<OrderSearch>(scorer_->scorer, rules_, most_parents, most_candidates, watch);
}

std::vector<FoundDag> SharedOrderSearch::climb(std::uint64_t seed, std::uint64_t start, std::size_t kicks,
                                               Watch* watch) {
    check_range("kicks", kicks, std::size_t{0}, kMostKicks);
    const std::lock_guard lock(scorer_->busy);
    Random random(seed, start);
    return search_->climb(random, kicks, watch);
}

FoundDag SharedOrderSearch::improve(std::uint64_t seed, const std::vector<GivenDag>& found, std::size_t patience,
                                    Watch* watch) {
    check_range("patience", patience, std::size_t{0}, kMostKicks);
    if (found.empty()) refuse("there must be at least one DAG to begin with");
    std::vector<FoundDag> from;
    for (const auto& [order, dag] : found) from.push_back(found_dag(order, dag, rules_));
    const std::lock_guard lock(scorer_->busy);
    Random random(seed, kImproving);
    return search_->improve(random, std::move(from), patience, watch);
}

FoundDag SharedOrderSearch::near(const GivenDag& best, const GivenDag& other) {
    const FoundDag from = found_dag(best.first, best.second, rules_), to = found_dag(other.first, other.second, rules_);
    const std::lock_guard lock(scorer_->busy);
    return search_->near(from, to);
}

DagSampler::DagSampler(const std::shared_ptr<SharedScorer>& scorer, ArcRules rules, std::vector<std::uint8_t> forbidden,
                       const std::vector<FoundDag>& starts, const std::vector<std::vector<BitMatrix>>& met,
                       const std::vector<ParentGroups>& groups, const Plan& plan, Watch* watch)
    : rules_(std::move(rules)), forbidden_(std::move(forbidden)) {
    check_square("allowed", rules_.allowed.size(), scorer->scorer.size());
    const std::uint8_t* known = or_null(forbidden_, rules_.n);
    if (starts.empty() || plan.heats.empty()) refuse("a sampler needs at least one start and one heat");
    for (const double heat : plan.heats)
        if (!(heat >= 0 && std::isfinite(heat))) refuse("a heat is ", heat, "; it must be a number from 0 on");
    check_range("chains", plan.chains, std::size_t{1}, kMostChains);
    check_range("most_candidates", plan.most_candidates, std::size_t{0}, kMostCandidates);
    check_range("most_parents", plan.most_parents, 0, static_cast<int>(kMostParents));
    const std::lock_guard lock(scorer->busy);
    if (met.empty() || met.size() > plan.chains) refuse("there are ", met.size(), " lists of DAGs for ", plan.chains, " chains");
    check_groups(groups, rules_);
    for (const std::vector<BitMatrix>& list : met) {
        std::vector<Parents> seen;
        for (const BitMatrix& dag : list) seen.push_back(parents_of(dag, rules_));
        std::vector<const Parents*> dags;
        for (const FoundDag& start : starts) dags.push_back(&start.parents);
        for (const Parents& parents : seen) dags.push_back(&parents);
        const auto chosen = candidate_parents(scorer->scorer, rules_, dags, groups, plan.most_candidates,
                                              plan.heats.front(), watch);
        tables_.push_back(std::make_unique<FamilyTables>(scorer->scorer, rules_, chosen, starts,
                                                         SetSizes{kAllSetsTo, plan.most_parents}, plan.heats,
                                                         watch));
    }
    for (std::size_t c = 0; c < plan.chains; ++c)
        chains_.push_back(
            std::make_unique<Chain>(tables(c), rules_, known, starts[c % starts.size()], Random(plan.seed, c)));
}

DagSampler::DagSampler(StateReader& in) {
    const std::vector<std::uint8_t> required = in.list<std::uint8_t>();
    const auto n = static_cast<std::size_t>(std::sqrt(static_cast<double>(required.size())));
    in.check(n > 0 && n * n == required.size() && n <= kMostColumns, "its arcs are no square matrix");
    for (const std::uint8_t one : required) in.check(one <= 1, "an arc is neither required nor not");
    rules_ = arc_rules(n, std::vector<std::uint8_t>(n * n, 0), required, 0);
    forbidden_ = in.list<std::uint8_t>();
    in.check(forbidden_.empty() || forbidden_.size() == n * n, "what is forbidden is no square matrix");
    tables_.push_back(std::make_unique<FamilyTables>(in, rules_));
    const FoundDag anywhere{0, parents_first(bits_of(required, n)), Parents(n)};
    chains_.push_back(std::make_unique<Chain>(tables(0), rules_, or_null(forbidden_, n), anywhere, Random(0, 0)));
    chains_.front()->read(in);
}

std::shared_ptr<DagSampler> DagSampler::unpacked(std::string_view bytes) {
    StateReader in(bytes, kPacked, kPackedName);
    return std::shared_ptr<DagSampler>(new DagSampler(in));
}

std::string DagSampler::packed(std::size_t chain) const {
    const std::lock_guard lock(busy_);
    const Chain& own = at(chain);
    StateWriter out(kPacked);
    out.list(rules_.required);
    out.list(forbidden_);
    tables(chain).write(out);
    own.write(out);
    return std::move(out).finish();
}

std::string DagSampler::state(std::size_t chain) const {
    const std::lock_guard lock(busy_);
    StateWriter out(kState);
    at(chain).write(out);
    return std::move(out).finish();
}

void DagSampler::take(std::size_t chain, std::string_view state) {
    const std::lock_guard lock(busy_);
    at(chain);
    StateReader in(state, kState, kStateName);
    chains_[chain]->read(in);
}

void DagSampler::run(int rounds, bool record, int threads, Watch* watch) {
    check_range("rounds", rounds, 0, 1 << 29);
    check_threads(threads);
    const std::lock_guard lock(busy_);
    share_out(
        chains_.size(), std::min(threads, static_cast<int>(chains_.size())),
        [&](int, std::size_t c) { chains_[c]->run(rounds, record, watch); }, watch, true);
}

std::vector<std::vector<Index>> DagSampler::candidates(std::size_t chain) const {
    at(chain);
    std::vector<std::vector<Index>> out;
    for (std::size_t v = 0; v < rules_.n; ++v) out.push_back(tables(chain)[v].candidates);
    return out;
}

std::uint64_t DagSampler::n_sets() const {
    std::uint64_t n = 0;
    for (const auto& table : tables_) n += table->n_sets();
    return n;
}

Tallies DagSampler::tallies(std::size_t chain) const {
    const std::lock_guard lock(busy_);
    return at(chain).tallies();
}

std::pair<double, double> DagSampler::rates(std::size_t chain) const {
    const std::lock_guard lock(busy_);
    return {at(chain).acceptance(), at(chain).swap_rate()};
}

std::vector<BitMatrix> DagSampler::dags(std::size_t chain) const {
    const std::lock_guard lock(busy_);
    std::vector<BitMatrix> out;
    for (const auto& choice : at(chain).tallies().dags) out.push_back(children_of(chain, choice));
    return out;
}

BitMatrix DagSampler::dag(std::size_t chain, std::size_t number) const {
    const std::lock_guard lock(busy_);
    const auto& recorded = at(chain).tallies().dags;
    if (number >= recorded.size())
        throw std::out_of_range(say("there is no DAG ", number, "; chain ", chain, " has recorded ", recorded.size()));
    return children_of(chain, recorded[number]);
}

std::vector<std::uint8_t> DagSampler::joined(std::size_t chain, std::span<const Index> a, std::span<const Index> b) const {
    if (a.size() != b.size()) refuse("there are ", a.size(), " first ends of pairs and ", b.size(), " second ones");
    for (const std::span<const Index> ends : {a, b})
        for (const Index v : ends)
            if (v >= rules_.n) throw std::out_of_range(say("there is no column ", v, "; there are ", rules_.n));
    const std::lock_guard lock(busy_);
    std::vector<std::uint8_t> out;
    for (const auto& choice : at(chain).tallies().dags) {
        const BitMatrix children = children_of(chain, choice);
        for (std::size_t k = 0; k < a.size(); ++k) out.push_back(children.has(a[k], b[k]) || children.has(b[k], a[k]));
    }
    return out;
}

std::vector<std::uint32_t> DagSampler::joined_counts(std::size_t chain, std::size_t begin, std::size_t end) const {
    const std::lock_guard lock(busy_);
    const auto& recorded = at(chain).tallies().dags;
    if (begin > end || end > recorded.size())
        throw std::out_of_range(say("there are no DAGs ", begin, " to ", end, "; chain ", chain, " has recorded ", recorded.size()));
    const std::size_t n = rules_.n;
    std::vector<std::uint32_t> out(n * n, 0);
    for (std::size_t k = begin; k < end; ++k) {
        const BitMatrix children = children_of(chain, recorded[k]);
        for (std::size_t a = 0; a < n; ++a) children.each(a, [&](Index b) { ++out[a * n + b], ++out[b * n + a]; });
    }
    return out;
}

std::pair<double, BitMatrix> DagSampler::best() const {
    const std::lock_guard lock(busy_);
    const auto best = std::max_element(chains_.begin(), chains_.end(),
                                       [](const auto& a, const auto& b) { return a->best_score() < b->best_score(); });
    return {(*best)->best_score(), children_of(static_cast<std::size_t>(best - chains_.begin()), (*best)->best())};
}

BitMatrix DagSampler::central(std::span<const double> arrow, std::span<const double> line) const {
    const PairProbabilities of = probabilities(arrow, line, rules_.n);
    const std::lock_guard lock(busy_);
    Completion completion(rules_.n, or_null(forbidden_, rules_.n));
    const std::vector<std::uint16_t>* best = nullptr;
    std::size_t of_chain = 0;
    double least = 0;
    for (std::size_t c = 0; c < chains_.size(); ++c)
        for (const auto& choice : chains_[c]->tallies().dags) {
            completion.complete(children_of(c, choice));
            const double loss = expected_loss(completion, rules_.n, of);
            if (!best || loss < least) best = &choice, of_chain = c, least = loss;
        }
    if (!best) refuse("nothing was recorded; call run(rounds, record=True, threads) first");
    return children_of(of_chain, *best);
}

const Chain& DagSampler::at(std::size_t chain) const {
    if (chain >= chains_.size()) throw std::out_of_range(say("there is no chain ", chain, "; there are ", chains_.size()));
    return *chains_[chain];
}

BitMatrix DagSampler::children_of(std::size_t chain, const std::vector<std::uint16_t>& choice) const {
    BitMatrix children(rules_.n);
    for (std::size_t v = 0; v < rules_.n; ++v) {
        const FamilyTable& family = tables(chain)[v];
        for (const Index u : family.required) children.set(u, v);
        for (std::size_t b = 0; b < family.candidates.size(); ++b)
            if (family.mask[choice[v]] >> b & 1) children.set(family.candidates[b], v);
    }
    return children;
}

BitMatrix completed(const BitMatrix& dag, Bytes forbidden) {
    const std::size_t n = dag.size();
    Completion completion(n, or_null(forbidden, n));
    completion.complete(dag);
    BitMatrix out(n);
    for (std::size_t a = 0; a < n; ++a)
        for (const BitMatrix* part : {&completion.arrows(), &completion.lines()})
            part->each(a, [&](Index b) { out.set(a, b); });
    return out;
}

}  // namespace paucal
