#include "graphs/orders.hpp"

#include <algorithm>
#include <cmath>

#include "graphs/interactions.hpp"

namespace paucal {
namespace {

constexpr double kSame = 1e-9;            // gains below are rounding
constexpr std::uint32_t kMostKicked = 6;
constexpr std::size_t kMostGroups = 12;   // of parents that help only together, for one child

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

Set required_parents(const ArcRules& rules, std::uint32_t child) {
    Set out;
    for (std::uint32_t v = 0; v < rules.n; ++v)
        if (rules.must(v, child)) out.push_back(v);
    return out;
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
    : score_(score), child_(child), groups_(std::move(groups)), most_parents_(most_parents) {
    const Set required = required_parents(score.rules(), child);
    std::vector<std::pair<double, std::uint32_t>> all;
    for (std::uint32_t v = 0; v < score.rules().n; ++v)
        if (score.rules().may(v, child)) all.emplace_back(0, v);
    if (all.size() > most_candidates) {
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

bool GrowShrink::available(std::uint32_t addition, const std::vector<std::uint64_t>& nodes) const {
    const auto is_in = [&](std::uint32_t v) { return nodes[v / 64] >> (v % 64) & 1; };
    const std::size_t n = score_.rules().n;
    if (addition < n) return is_in(addition);
    const Set& group = groups_[addition - n];
    return std::all_of(group.begin(), group.end(), is_in);
}

Set GrowShrink::with(const Set& parents, std::uint32_t addition) const {
    const std::size_t n = score_.rules().n;
    if (addition < n) return paucal::with(parents, addition);
    Set out;
    const Set& group = groups_[addition - n];
    std::set_union(parents.begin(), parents.end(), group.begin(), group.end(), std::back_inserter(out));
    return out;
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
        if (score > node.score + kSame) node.branches.push_back({score, addition, 0});
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

OrderSearch::OrderSearch(Scorer& scorer, const ArcRules& rules, std::size_t most_parents, std::size_t most_candidates)
    : rules_(rules), score_(scorer, rules), before_((rules.n + 63) / 64), without_(rules.n), with_(rules.n),
      own_(rules.n) {
    std::vector<ParentGroups> groups = joint_parents(scorer, rules, kMostGroups);
    for (std::uint32_t v = 0; v < rules.n; ++v)
        nodes_.emplace_back(score_, v, std::move(groups[v]), most_parents, most_candidates);
}

// A random order in which required parents stand before their children.
std::vector<std::uint32_t> OrderSearch::random_order(Random& random) const {
    Set order, ready;
    Set waiting(rules_.n);
    for (std::uint32_t v = 0; v < rules_.n; ++v) {
        waiting[v] = static_cast<std::uint32_t>(required_parents(rules_, v).size());
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

FoundDag OrderSearch::climb(Random& random, std::size_t kicks) {
    Set best = random_order(random);
    settle(best, random);
    double score = total(best);
    for (std::size_t i = 0; i < kicks; ++i) {
        Set order(best);
        kick(order, random);
        settle(order, random);
        if (const double now = total(order); now >= score) score = now, best = std::move(order);
    }
    FoundDag found{score, std::move(best), Parents(rules_.n)};
    std::fill(before_.begin(), before_.end(), 0);
    for (const std::uint32_t v : found.order) {
        found.parents[v] = *nodes_[v].among(before_).parents;
        before_[v / 64] |= std::uint64_t{1} << (v % 64);
    }
    return found;
}

double OrderSearch::total(const std::vector<std::uint32_t>& order) {
    double sum = 0;
    std::fill(before_.begin(), before_.end(), 0);
    for (const std::uint32_t v : order) {
        sum += nodes_[v].among(before_).score;
        before_[v / 64] |= std::uint64_t{1} << (v % 64);
    }
    return sum;
}

void OrderSearch::settle(std::vector<std::uint32_t>& order, Random& random) {
    Set visit(order);
    for (bool moved = true; moved;) {
        moved = false;
        random.shuffle(visit);
        for (const std::uint32_t x : visit) moved |= relocate(order, x);
    }
}

// Puts a few nodes elsewhere, where required arcs leave them room.
void OrderSearch::kick(std::vector<std::uint32_t>& order, Random& random) const {
    const auto n = static_cast<std::uint32_t>(order.size());
    const std::uint32_t moves = 2 + random.below(kMostKicked - 1);
    for (std::uint32_t i = 0; i < moves; ++i) {
        const std::uint32_t from = random.below(n), x = order[from];
        std::uint32_t first = 0, last = n - 1;
        order.erase(order.begin() + from);
        for (std::uint32_t at = 0; at < n - 1; ++at) {
            if (rules_.must(order[at], x)) first = at + 1;
            if (rules_.must(x, order[at])) last = std::min(last, at);
        }
        order.insert(order.begin() + first + random.below(last - first + 1), x);
    }
}

// Puts x where the score is highest; false if it stays.
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
    for (std::size_t i = 0; i < rest_.size(); ++i) {
        const std::uint32_t w = rest_[i];
        if (i >= first && i <= last) own_[i] = nodes_[x].among(before_).score;
        without_[i] = nodes_[w].among(before_).score;
        if (i >= first) {  // otherwise x stands behind w in any case
            before_[x / 64] |= bit;
            with_[i] = nodes_[w].among(before_).score;
            before_[x / 64] &= ~bit;
        }
        before_[w / 64] |= std::uint64_t{1} << (w % 64);
    }
    if (last == n - 1) own_[n - 1] = nodes_[x].among(before_).score;

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
    order = rest_;
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), x);
    return true;
}

std::vector<std::vector<std::uint32_t>> candidate_parents(Scorer& scorer, const ArcRules& rules,
                                                          const std::vector<FoundDag>& found, std::size_t most) {
    PenalisedScores score(scorer, rules);
    std::vector<Set> out(rules.n);
    for (std::uint32_t v = 0; v < rules.n; ++v) {
        const auto add = [&](std::uint32_t u) {
            const bool known = std::find(out[v].begin(), out[v].end(), u) != out[v].end();
            if (rules.may(u, v) && !known && out[v].size() < most) out[v].push_back(u);
        };
        for (const FoundDag& dag : found)
            for (const std::uint32_t u : dag.parents[v]) add(u);
        for (const FoundDag& dag : found)
            for (std::uint32_t u = 0; u < rules.n; ++u)
                if (std::binary_search(dag.parents[u].begin(), dag.parents[u].end(), v)) add(u);
        const auto beside = ranked(score, v, found.front().parents[v]);
        const auto alone = ranked(score, v, required_parents(rules, v));
        for (std::size_t i = 0; i < alone.size() && out[v].size() < most; ++i) {
            if (i < beside.size()) add(beside[i].second);
            add(alone[i].second);
        }
        std::sort(out[v].begin(), out[v].end());
    }
    return out;
}

}  // namespace paucal
