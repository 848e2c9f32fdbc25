#include "graphs/orders.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graphs/interactions.hpp"

namespace paucal {
namespace {

constexpr double kSame = 1e-9;             // gains below are rounding
constexpr double kClose = 5;               // a DAG is still one of the good ones with parts that lose less
constexpr std::size_t kNodesPerBlock = 15;  // of those that a kick stirs
constexpr std::uint32_t kMostStirred = 8;   // nodes of such a block
constexpr std::size_t kMostGroups = 12;    // of parents that help only together, for one child
constexpr std::size_t kMostPatience = 20;  // kicks of an improvement, in terms of its patience
constexpr std::size_t kMostPaired = 12;    // nodes that come nearest to paying alone: pairs of them are tried
constexpr int kMostRounds = 3;             // of looking for pairs and climbing on

using Set = std::vector<std::uint32_t>;

Set with(const Set& set, std::uint32_t v) {
    Set out(set);
    out.insert(std::lower_bound(out.begin(), out.end(), v), v);
    return out;
}

Set without(const Set& set, std::uint32_t v) {
    Set out(set);
    out.erase(std::lower_bound(out.begin(), out.end(), v));
    return out;
}

Set united(const Set& a, const Set& b) {
    Set out;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
    return out;
}

Set required_parents(const ArcRules& rules, std::uint32_t child) {
    Set out;
    for (std::uint32_t v = 0; v < rules.n; ++v)
        if (rules.must(v, child)) out.push_back(v);
    return out;
}

std::vector<bool> descendants(const Parents& parents, std::uint32_t v) {
    std::vector<bool> below(parents.size());
    below[v] = true;
    for (bool more = true; more;) {
        more = false;
        for (std::uint32_t w = 0; w < parents.size(); ++w)
            for (const std::uint32_t u : parents[w])
                if (below[u] && !below[w]) below[w] = more = true;
    }
    return below;
}

// Whether there is no cycle.
bool has_order(const Parents& parents) {
    const std::size_t n = parents.size();
    Set waiting(n), ready, first(n + 1), children;
    for (const Set& its : parents)
        for (const std::uint32_t u : its) ++first[u + 1];
    for (std::size_t v = 0; v < n; ++v) first[v + 1] += first[v];
    children.resize(first[n]);
    Set next(first);
    for (std::uint32_t v = 0; v < n; ++v) {
        waiting[v] = static_cast<std::uint32_t>(parents[v].size());
        if (waiting[v] == 0) ready.push_back(v);
        for (const std::uint32_t u : parents[v]) children[next[u]++] = v;
    }
    for (std::size_t i = 0; i < ready.size(); ++i)
        for (std::uint32_t at = first[ready[i]]; at < first[ready[i] + 1]; ++at)
            if (--waiting[children[at]] == 0) ready.push_back(children[at]);
    return ready.size() == n;
}

// Parents before their children; who is free to stand anywhere stays where the old order has it.
Set sorted_by_parents(const Parents& parents, const Set& old) {
    Set order;
    std::vector<bool> placed(parents.size());
    while (order.size() < old.size())
        for (const std::uint32_t v : old) {
            const auto is_placed = [&](std::uint32_t u) { return placed[u]; };
            if (placed[v] || !std::all_of(parents[v].begin(), parents[v].end(), is_placed)) continue;
            placed[v] = true;
            order.push_back(v);
            break;
        }
    return order;
}

// What each allowed parent adds to a set of parents, best first; equal ones by number.
std::vector<std::pair<double, std::uint32_t>> ranked(PenalisedScores& score, std::uint32_t child, const Set& beside) {
    std::vector<std::pair<double, std::uint32_t>> out;
    for (std::uint32_t v = 0; v < score.rules().n; ++v)
        if (score.rules().may(v, child) && !std::binary_search(beside.begin(), beside.end(), v))
            out.emplace_back(-score(child, with(beside, v)), v);
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

GrowShrink::GrowShrink(PenalisedScores& score, std::uint32_t child, ParentGroups groups, std::size_t most_parents,
                       std::size_t most_candidates)
    : score_(score), child_(child), groups_(std::move(groups)), most_parents_(most_parents),
      minded_((score.rules().n + 63) / 64) {
    const Set required = required_parents(score.rules(), child);
    std::vector<std::pair<double, std::uint32_t>> all;
    for (std::uint32_t v = 0; v < score.rules().n; ++v)
        if (score.rules().may(v, child)) all.emplace_back(0, v);
    if (all.size() > most_candidates && most_parents > 0) {
        all = ranked(score, child, required);
        all.resize(most_candidates);
    }
    for (const auto& [ignored, v] : all) candidates_.push_back(v);
    Node root;
    root.parents = required;
    root.score = score_(child, required);
    nodes_.push_back(std::move(root));
}

GrowShrink::Best GrowShrink::among(const std::vector<std::uint64_t>& available) {
    for (std::uint32_t at = 0;;) {
        if (!nodes_[at].grown) grow(at);
        std::uint32_t next = 0;
        for (Branch& branch : nodes_[at].branches) {
            if (!this->available(branch.addition, available)) continue;
            if (branch.node == 0) {
                branch.node = static_cast<std::uint32_t>(nodes_.size());
                Node node;
                node.parents = with(nodes_[at].parents, branch.addition);
                node.score = branch.score;
                next = branch.node;
                nodes_.push_back(std::move(node));  // `branch` is gone from here on
                break;
            }
            next = branch.node;
            break;
        }
        if (next == 0) {
            Node& leaf = nodes_[at];
            if (!leaf.shrunk) shrink(leaf);
            return {leaf.best_score, &leaf.best};
        }
        at = next;
    }
}

void GrowShrink::add_group(Set group) {
    groups_.push_back(std::move(group));
    nodes_.resize(1);
    Node root;
    root.parents = nodes_[0].parents;
    root.score = nodes_[0].score;
    nodes_[0] = std::move(root);
}

Set GrowShrink::with(const Set& parents, std::uint32_t addition) const {
    const std::size_t n = score_.rules().n;
    if (addition < n) return paucal::with(parents, addition);
    return united(parents, groups_[addition - n]);
}

void GrowShrink::grow(std::uint32_t at) {
    Node& node = nodes_[at];
    node.grown = true;
    const std::size_t most = most_parents_ + nodes_[0].parents.size();
    if (node.parents.size() >= most) return;
    const auto consider = [&](std::uint32_t addition) {
        const Set parents = with(node.parents, addition);
        if (parents.size() == node.parents.size() || parents.size() > most) return;
        const double score = score_(child_, parents);
        if (!(score > node.score + kSame)) return;
        node.branches.push_back({score, addition, 0});
        for (const std::uint32_t v : parents) minded_[v / 64] |= std::uint64_t{1} << (v % 64);
    };
    for (const std::uint32_t v : candidates_)
        if (!std::binary_search(node.parents.begin(), node.parents.end(), v)) consider(v);
    for (std::size_t g = 0; g < groups_.size(); ++g) consider(static_cast<std::uint32_t>(score_.rules().n + g));
    std::stable_sort(node.branches.begin(), node.branches.end(),
                     [](const Branch& a, const Branch& b) { return a.score > b.score; });
}

void GrowShrink::shrink(Node& node) {
    node.shrunk = true;
    node.best = node.parents;
    node.best_score = node.score;
    for (bool better = true; better;) {
        better = false;
        Set least;
        for (const std::uint32_t v : node.best) {
            if (score_.rules().must(v, child_)) continue;
            const Set fewer = without(node.best, v);
            const double score = score_(child_, fewer);
            if (score > node.best_score + kSame) node.best_score = score, least = fewer, better = true;
        }
        if (better) node.best = least;
    }
}

OrderSearch::OrderSearch(Scorer& scorer, const ArcRules& rules, std::size_t most_parents, std::size_t most_candidates,
                         Watch* watch)
    : rules_(rules), score_(scorer, rules), most_parents_(most_parents),
      groups_(joint_parents(scorer, rules, kMostGroups, watch)), before_((rules.n + 63) / 64), now_(rules.n),
      without_(rules.n), with_(rules.n), own_(rules.n), spare_(rules.n) {
    for (std::uint32_t v = 0; v < rules.n; ++v) {
        const bool ended = watch && watch->pulse();
        required_.push_back(required_parents(rules, v));
        nodes_.emplace_back(score_, v, groups_[v], ended ? 0 : most_parents, most_candidates);
    }
}

// A random order in which required parents stand before their children.
std::vector<std::uint32_t> OrderSearch::random_order(Random& random) const {
    Set order, ready;
    Set waiting(rules_.n);
    for (std::uint32_t v = 0; v < rules_.n; ++v) {
        waiting[v] = static_cast<std::uint32_t>(required_[v].size());
        if (waiting[v] == 0) ready.push_back(v);
    }
    while (!ready.empty()) {
        const std::uint32_t i = random.below(static_cast<std::uint32_t>(ready.size())), v = ready[i];
        ready.erase(ready.begin() + i);
        order.push_back(v);
        for (std::uint32_t w = 0; w < rules_.n; ++w)
            if (rules_.must(v, w) && --waiting[w] == 0) ready.push_back(w);
    }
    return order;
}

std::vector<FoundDag> OrderSearch::climb(Random& random, std::size_t kicks, Watch* watch) {
    Set order = random_order(random);
    settle(order, random, watch);
    std::vector<FoundDag> found{dag_of(std::move(order))};
    for (std::size_t i = 0; i < kicks && !(watch && watch->stopped()); ++i) {
        found.push_back(kicked(found.front(), random, watch));
        found.front() = with_parts(found.front(), found.back(), -kSame);
    }
    return found;
}

FoundDag OrderSearch::climb_on(Random& random, FoundDag best, std::size_t patience, Watch* watch) {
    for (std::size_t failed = 0, kicks = 0; failed < patience && kicks < kMostPatience * patience; ++kicks) {
        if (watch && watch->stopped()) break;
        FoundDag next = with_parts(best, kicked(best, random, watch), -kSame);
        failed = next.score > best.score + kSame ? 0 : failed + 1;
        best = std::move(next);
    }
    return best;
}

// Where the climb ends that begins near a DAG. The more nodes there are, the more blocks are stirred at once: every part of
// the graph is judged alone afterwards.
FoundDag OrderSearch::kicked(const FoundDag& dag, Random& random, Watch* watch) {
    Set order = dag.order;
    for (std::size_t i = 0; i < std::max<std::size_t>(1, rules_.n / kNodesPerBlock); ++i) stir(order, dag.parents, random);
    order = sorted_by_parents(required_, order);
    settle(order, random, watch);
    return dag_of(std::move(order));
}

// A DAG with the parts of another one that gain more than `least` in its place, as far as no cycle comes about. A part is
// a connected one of the nodes whose parents differ: their scores do not depend on the rest, so that each can be
// judged alone, and a climb that gains here and loses there is not in vain.
FoundDag OrderSearch::with_parts(const FoundDag& dag, const FoundDag& other, double least) {
    FoundDag out = dag;
    std::vector<std::pair<double, Set>> parts = parts_apart(dag.parents, other.parents);
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    bool changed = false;
    for (bool more = true; more;) {  // a part may fit once another one is there
        more = false;
        for (auto& [gain, part] : parts) {
            if (part.empty() || !(gain > least)) continue;
            for (const std::uint32_t v : part) std::swap(out.parents[v], spare_[v] = other.parents[v]);
            if (has_order(out.parents)) {
                part.clear();
                more = changed = true;
            } else {
                for (const std::uint32_t v : part) std::swap(out.parents[v], spare_[v]);
            }
        }
    }
    out.order = sorted_by_parents(out.parents, changed ? other.order : dag.order);
    out.score = total(out);
    return out;
}

FoundDag OrderSearch::near(const FoundDag& best, const FoundDag& other) { return with_parts(best, other, -kClose); }

double OrderSearch::total(const FoundDag& dag) {
    double sum = 0;
    for (const std::uint32_t v : dag.order) sum += score_(v, dag.parents[v]);
    return sum;
}

FoundDag OrderSearch::improve(Random& random, std::vector<FoundDag> found, std::size_t patience, Watch* watch) {
    FoundDag best = climb_on(random, united_best(std::move(found)), patience, watch);
    for (int round = 0; round < kMostRounds && !(watch && watch->stopped()); ++round) {
        Set order = find_pairs(best, watch);
        if (order.empty()) break;
        settle(order, random, watch);
        FoundDag now = climb_on(random, with_parts(best, dag_of(std::move(order)), -kSame), patience, watch);
        if (!(now.score > best.score + kSame)) break;  // growing takes additions one after the other: a pair may mislead it
        best = std::move(now);
    }
    return best;
}

// The best DAG, with all the parts in which another one is better.
FoundDag OrderSearch::united_best(std::vector<FoundDag> found) {
    for (FoundDag& dag : found) dag.score = total(dag);
    std::stable_sort(found.begin(), found.end(), [](const FoundDag& a, const FoundDag& b) { return a.score > b.score; });
    FoundDag best = found.front();
    for (bool better = true; better;) {
        better = false;
        for (const FoundDag& other : found) {
            FoundDag next = with_parts(best, other, kSame);
            if (next.score > best.score + kSame) best = std::move(next), better = true;
        }
    }
    return best;
}

// The connected parts of the nodes whose parents differ, and what each gains with its other parents.
std::vector<std::pair<double, std::vector<std::uint32_t>>> OrderSearch::parts_apart(const Parents& from, const Parents& to) {
    const auto n = static_cast<std::uint32_t>(from.size());
    Set part(n);  // by node, the smallest node that is known to be in its part
    for (std::uint32_t v = 0; v < n; ++v) part[v] = v;
    const auto first = [&](std::uint32_t v) {
        while (part[v] != v) v = part[v] = part[part[v]];
        return v;
    };
    for (std::uint32_t v = 0; v < n; ++v) {
        if (from[v] == to[v]) continue;
        for (const Set* parents : {&from[v], &to[v]})
            for (const std::uint32_t u : *parents) {
                if (from[u] == to[u]) continue;
                const std::uint32_t a = first(u), b = first(v);
                part[std::max(a, b)] = std::min(a, b);
            }
    }
    std::vector<std::pair<double, Set>> out;
    Set where(n);
    for (std::uint32_t v = 0; v < n; ++v) {
        if (from[v] == to[v]) continue;
        const std::uint32_t its = first(v);
        if (its == v) where[v] = static_cast<std::uint32_t>(out.size()), out.emplace_back();
        out[where[its]].first += score_(v, to[v]) - score_(v, from[v]);
        out[where[its]].second.push_back(v);
    }
    return out;
}

// Per node the pair of others that adds most to its parents, if it pays, becomes a group. Gives an order in which all of
// them fit, or none if there is no such pair.
std::vector<std::uint32_t> OrderSearch::find_pairs(const FoundDag& dag, Watch* watch) {
    bool found = false;
    Parents more = dag.parents;
    for (std::uint32_t v = 0; v < rules_.n && !(watch && watch->pulse()); ++v) {
        const Set parents = more[v];
        if (parents.size() + 2 > most_parents_ + required_[v].size()) continue;
        const std::vector<bool> below = descendants(more, v);
        std::vector<std::pair<double, std::uint32_t>> alone;
        for (std::uint32_t u = 0; u < rules_.n; ++u)
            if (rules_.may(u, v) && !below[u] && !std::binary_search(parents.begin(), parents.end(), u))
                alone.emplace_back(-score_(v, with(parents, u)), u);
        std::sort(alone.begin(), alone.end());
        alone.resize(std::min(alone.size(), kMostPaired));
        double best = score_(v, parents) + kSame;
        Set pair;
        for (std::size_t i = 1; i < alone.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const double both = score_(v, with(with(parents, alone[i].second), alone[j].second));
                if (both > best) best = both, pair = with({alone[i].second}, alone[j].second);
            }
        if (pair.empty()) continue;
        more[v] = united(parents, pair);
        groups_[v].push_back(pair);
        nodes_[v].add_group(std::move(pair));
        found = true;
    }
    return found ? sorted_by_parents(more, dag.order) : Set{};
}

// The best DAG that fits an order.
FoundDag OrderSearch::dag_of(std::vector<std::uint32_t> order) {
    FoundDag found{0, std::move(order), Parents(rules_.n)};
    std::fill(before_.begin(), before_.end(), 0);
    for (const std::uint32_t v : found.order) {
        const GrowShrink::Best best = nodes_[v].among(before_);
        found.score += best.score;
        found.parents[v] = *best.parents;
        before_[v / 64] |= std::uint64_t{1} << (v % 64);
    }
    return found;
}

void OrderSearch::settle(std::vector<std::uint32_t>& order, Random& random, Watch* watch) {
    Set visit(order);
    std::fill(before_.begin(), before_.end(), 0);
    for (const std::uint32_t v : order) {
        now_[v] = nodes_[v].among(before_).score;
        before_[v / 64] |= std::uint64_t{1} << (v % 64);
    }
    for (bool moved = true; moved;) {
        moved = false;
        random.shuffle(visit);
        for (const std::uint32_t x : visit) {
            if (watch && watch->pulse()) return;
            moved |= relocate(order, x);
        }
    }
}

// Shuffles a few nodes that hang together in a DAG among their places.
void OrderSearch::stir(std::vector<std::uint32_t>& order, const Parents& parents, Random& random) const {
    const std::size_t size = 2 + random.below(kMostStirred - 1);
    Set block{random.below(static_cast<std::uint32_t>(order.size()))}, near;
    const auto is_new = [&](std::uint32_t v) {
        return std::find(block.begin(), block.end(), v) == block.end() && std::find(near.begin(), near.end(), v) == near.end();
    };
    while (block.size() < size) {
        const std::uint32_t v = block.back();
        for (const std::uint32_t u : parents[v])
            if (is_new(u)) near.push_back(u);
        for (std::uint32_t w = 0; w < parents.size(); ++w)
            if (std::binary_search(parents[w].begin(), parents[w].end(), v) && is_new(w)) near.push_back(w);
        if (near.empty()) near.push_back(random.below(static_cast<std::uint32_t>(order.size())));  // whoever stands alone
        std::uint32_t& drawn = near[random.below(static_cast<std::uint32_t>(near.size()))];
        block.push_back(drawn);
        drawn = near.back();
        near.pop_back();
    }
    std::sort(block.begin(), block.end());
    block.erase(std::unique(block.begin(), block.end()), block.end());
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (std::binary_search(block.begin(), block.end(), order[i])) places.push_back(i);
    random.shuffle(block);
    for (std::size_t i = 0; i < places.size(); ++i) order[places[i]] = block[i];
}

// Puts x where the score is highest; false if it stays. Who does not mind where x stands scores as before.
bool OrderSearch::relocate(std::vector<std::uint32_t>& order, std::uint32_t x) {
    const std::size_t n = order.size();
    const std::uint64_t bit = std::uint64_t{1} << (x % 64);
    std::size_t now = 0, first = 0, last = n - 1;  // places that required arcs leave to x
    rest_.clear();
    for (std::size_t i = 0; i < n; ++i) {
        if (order[i] == x) {
            now = i;
            continue;
        }
        if (rules_.must(order[i], x)) first = rest_.size() + 1;
        if (rules_.must(x, order[i])) last = std::min(last, rest_.size());
        rest_.push_back(order[i]);
    }
    std::fill(before_.begin(), before_.end(), 0);
    own_[0] = nodes_[x].among(before_).score;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
        const std::uint32_t w = rest_[i];
        without_[i] = with_[i] = now_[w];
        if (nodes_[w].minds(x)) {
            if (i < now) {
                before_[x / 64] |= bit;
                with_[i] = nodes_[w].among(before_).score;
                before_[x / 64] &= ~bit;
            } else {
                without_[i] = nodes_[w].among(before_).score;
            }
        }
        before_[w / 64] |= std::uint64_t{1} << (w % 64);
        own_[i + 1] = nodes_[x].minds(w) ? nodes_[x].among(before_).score : own_[i];
    }

    // The sum over the others when x stands first, then corrected by one node for every place further back.
    double others = 0, at_now = 0, best = 0;
    for (std::size_t i = 0; i < n - 1; ++i) others += i < first ? without_[i] : with_[i];
    std::size_t place = n;
    for (std::size_t i = first; i <= last; ++i) {
        const double total = others + own_[i];
        if (i == now) at_now = total;
        if (place == n || total > best) best = total, place = i;
        if (i < n - 1) others += without_[i] - with_[i];
    }
    if (!(best > at_now + kSame)) return false;
    for (std::size_t i = 0; i < rest_.size(); ++i) now_[rest_[i]] = i < place ? without_[i] : with_[i];
    now_[x] = own_[place];
    order = rest_;
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), x);
    return true;
}

namespace {

// How much speaks for each possible parent of one node, over several DAGs.
class Support {
public:
    Support(PenalisedScores& score, const std::vector<const Parents*>& dags, const std::vector<ParentGroups>& groups,
            double temper)
        : score_(score), rules_(score.rules()), dags_(dags), groups_(groups), temper_(temper), support_(rules_.n),
          rival_(rules_.n) {}

    const std::vector<double>& of(std::uint32_t v) {
        std::fill(support_.begin(), support_.end(), 0);
        sets_.clear();
        for (const Parents* dag : dags_) sets_.push_back(&(*dag)[v]);
        const auto less = [](const Set* a, const Set* b) { return *a < *b; };
        std::sort(sets_.begin(), sets_.end(), less);
        for (auto from = sets_.begin(), to = from; from != sets_.end(); from = to) {
            to = std::upper_bound(from, sets_.end(), *from, less);
            const auto times = static_cast<std::size_t>(to - from);
            for (const std::uint32_t u : **from) support_[u] += static_cast<double>(times);
            if (times * kRare >= sets_.size()) beside(v, **from, static_cast<double>(times));
        }
        for (const Parents* dag : dags_) turned(v, *dag);
        return support_;
    }

private:
    static constexpr std::size_t kRare = 25;  // rivals of sets in fewer than one in so many DAGs are not looked for

    // Another node counts by its chance to come in addition or in the place of one parent, alone or with its group.
    void beside(std::uint32_t v, const Set& parents, double times) {
        const auto is_new = [&](std::uint32_t u) {
            return rules_.may(u, v) && !std::binary_search(parents.begin(), parents.end(), u);
        };
        for (std::uint32_t u = 0; u < rules_.n; ++u) {
            if (!is_new(u)) continue;
            rival_[u] = score_(v, with(parents, u));
            for (const std::uint32_t p : parents)
                if (rules_.may(p, v)) rival_[u] = std::max(rival_[u], score_(v, with(without(parents, p), u)));
        }
        const Set required = required_parents(rules_, v);
        for (const Set& group : groups_[v]) {
            const Set all = united(parents, group);
            if (all.size() >= static_cast<std::size_t>(kMostMembers)) continue;
            const double together = std::max(score_(v, all), score_(v, united(required, group)));
            for (const std::uint32_t u : group)
                if (is_new(u)) rival_[u] = std::max(rival_[u], together);
        }
        const double now = score_(v, parents);
        for (std::uint32_t u = 0; u < rules_.n; ++u)
            if (is_new(u)) support_[u] += times / (1 + std::exp(temper_ * (now - rival_[u])));
    }

    // A child by its chance to be a parent instead.
    void turned(std::uint32_t v, const Parents& dag) {
        for (std::uint32_t u = 0; u < rules_.n; ++u) {
            if (!rules_.may(u, v) || !std::binary_search(dag[u].begin(), dag[u].end(), v)) continue;
            const double now = score_(v, dag[v]) + score_(u, dag[u]);
            const double then = score_(v, with(dag[v], u)) + score_(u, without(dag[u], v));
            support_[u] += std::max(.1, 1 / (1 + std::exp(temper_ * (now - then))));
        }
    }

    PenalisedScores& score_;
    const ArcRules& rules_;
    const std::vector<const Parents*>& dags_;
    const std::vector<ParentGroups>& groups_;
    double temper_;
    std::vector<double> support_, rival_;
    std::vector<const Set*> sets_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> candidate_parents(Scorer& scorer, const ArcRules& rules,
                                                          const std::vector<const Parents*>& dags,
                                                          const std::vector<ParentGroups>& groups, std::size_t most,
                                                          double temper, Watch* watch) {
    PenalisedScores score(scorer, rules);
    Support support(score, dags, groups, temper);
    std::vector<Set> out(rules.n);
    std::vector<std::pair<double, std::uint32_t>> best;
    for (std::uint32_t v = 0; v < rules.n; ++v) {
        const bool ended = watch && watch->pulse();
        const std::vector<double>* for_v = ended ? nullptr : &support.of(v);
        const Set& first = dags.front()->at(v);
        best.clear();
        for (std::uint32_t u = 0; u < rules.n; ++u) {
            if (!rules.may(u, v)) continue;
            if (std::binary_search(first.begin(), first.end(), u))
                best.emplace_back(-std::numeric_limits<double>::infinity(), u);
            else if (for_v)
                best.emplace_back(-(*for_v)[u], u);
        }
        std::sort(best.begin(), best.end());
        if (best.size() > most) best.resize(most);
        for (const auto& [ignored, u] : best) out[v].push_back(u);
        std::sort(out[v].begin(), out[v].end());
    }
    return out;
}

}  // namespace paucal
