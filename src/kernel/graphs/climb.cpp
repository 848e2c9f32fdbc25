#include "graphs/climb.hpp"

#include <algorithm>
#include <limits>

#include "math/random.hpp"

namespace paucal {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

bool same(const BitMatrix& a, const BitMatrix& b) {
    return std::equal(a[0], a[0] + a.size() * a.words(), b[0]);
}

}  // namespace

Climb::Climb(Scorer& scorer, const ArcRules& rules, const BitMatrix& start, ClimbPlan plan)
    : scorer_(scorer), rules_(rules), plan_(plan), n_(rules.n), children_(start), leads_to_(rules.n), parents_(rules.n),
      gain_(rules.n * rules.n, kNever) {
    plan_.most_parents = std::min(plan_.most_parents, std::size_t{kMostMembers} - 1);
    for (std::uint32_t i = 0; i < n_; ++i) children_.each(i, [&](std::uint32_t j) { parents_[j].push_back(i); });
}

double Climb::local(std::uint32_t node, const std::vector<std::uint32_t>& parents) {
    Key key{mix(node + 0x9E3779B97F4A7C15ull), mix(node ^ 0xD1B54A32D192ED03ull)};
    for (const std::uint32_t v : parents) {
        key.a = mix(key.a + 0x9E3779B97F4A7C15ull * (v + 1));
        key.b = mix(key.b ^ 0xD1B54A32D192ED03ull * (v + 1));
    }
    const auto [at, fresh] = known_.try_emplace(key, 0.);
    if (fresh) at->second = scorer_.local(node, parents.data(), static_cast<int>(parents.size()));
    return at->second;
}

// The gains of all changes to the parents of a node.
void Climb::update(std::uint32_t node) {
    const std::vector<std::uint32_t>& parents = parents_[node];
    const double here = local(node, parents);
    std::vector<std::uint32_t> others(parents);
    for (std::uint32_t i = 0; i < n_; ++i) {
        double& gain = gain_[i * n_ + node];
        gain = kNever;
        const auto at = std::lower_bound(parents.begin(), parents.end(), i);
        const bool parent = at != parents.end() && *at == i;
        if (!parent && (i == node || !rules_.may(i, node) || parents.size() >= plan_.most_parents)) continue;
        others = parents;
        if (parent)
            others.erase(others.begin() + (at - parents.begin()));
        else
            others.insert(others.begin() + (at - parents.begin()), i);
        gain = local(node, others) - here;
    }
}

// What directed paths lead to, from every node: children first.
void Climb::find_paths() {
    std::vector<std::uint32_t> waiting(n_, 0), ready;
    for (std::uint32_t v = 0; v < n_; ++v) {
        children_.each(v, [&](std::uint32_t) { ++waiting[v]; });
        if (waiting[v] == 0) ready.push_back(v);
    }
    leads_to_.clear();
    const std::size_t words = leads_to_.words();
    while (!ready.empty()) {
        const std::uint32_t v = ready.back();
        ready.pop_back();
        leads_to_.set(v, v);
        children_.each(v, [&](std::uint32_t child) {
            for (std::size_t w = 0; w < words; ++w) leads_to_[v][w] |= leads_to_[child][w];
        });
        for (const std::uint32_t parent : parents_[v])
            if (--waiting[parent] == 0) ready.push_back(parent);
    }
}

void Climb::list_moves() {
    find_paths();
    moves_.clear();
    const auto number = [&](std::uint64_t kind, std::uint32_t i, std::uint32_t j) { return (kind * n_ + i) * n_ + j; };
    for (std::uint32_t i = 0; i < n_; ++i)
        for (std::uint32_t j = 0; j < n_; ++j)
            if (const double gain = gain_[i * n_ + j];
                gain > kNever && !children_.has(i, j) && !children_.has(j, i) && rules_.may(i, j) && !leads_to_.has(j, i))
                moves_.push_back({gain, number(0, i, j)});
    const auto each_free = [&](auto&& f) {
        for (std::uint32_t i = 0; i < n_; ++i)
            children_.each(i, [&](std::uint32_t j) {
                if (!rules_.must(i, j)) f(i, j);
            });
    };
    each_free([&](std::uint32_t i, std::uint32_t j) {
        if (const double gain = gain_[i * n_ + j]; gain > kNever) moves_.push_back({gain, number(1, i, j)});
    });
    each_free([&](std::uint32_t i, std::uint32_t j) {
        const double gain = gain_[i * n_ + j] + gain_[j * n_ + i];
        if (!(gain > kNever) || !rules_.may(j, i)) return;
        bool cycle = false;
        children_.each(i, [&](std::uint32_t k) { cycle = cycle || (k != j && leads_to_.has(k, j)); });
        if (!cycle) moves_.push_back({gain, number(2, i, j)});
    });
}

// Whether a move leads to one of the last DAGs.
bool Climb::turns_back(const Move& move) const {
    const std::uint64_t place = move.number % (n_ * n_), kind = move.number / (n_ * n_);
    const std::size_t i = place / n_, j = place % n_;
    BitMatrix next = children_;
    if (kind == 0) next.set(i, j);
    else next.clear(i, j);
    if (kind == 2) next.set(j, i);
    return std::any_of(last_.begin(), last_.end(), [&](const BitMatrix& before) { return same(before, next); });
}

void Climb::make(const Move& move) {
    const std::uint64_t place = move.number % (n_ * n_), kind = move.number / (n_ * n_);
    const auto i = static_cast<std::uint32_t>(place / n_), j = static_cast<std::uint32_t>(place % n_);
    const auto add = [&](std::uint32_t parent, std::uint32_t child) {
        children_.set(parent, child);
        auto& parents = parents_[child];
        parents.insert(std::lower_bound(parents.begin(), parents.end(), parent), parent);
    };
    if (kind == 0) add(i, j);
    else {
        children_.clear(i, j);
        std::erase(parents_[j], i);
    }
    if (kind == 2) {
        add(j, i);
        update(i);
    }
    update(j);
}

// Makes the best move, without tabu only if it leads up; false if there is none.
bool Climb::step(double& gain) {
    list_moves();
    if (!plan_.tabu) {
        double most = kNever;
        for (const Move& move : moves_) most = std::max(most, move.gain);
        const auto first = std::find_if(moves_.begin(), moves_.end(), [&](const Move& m) { return m.gain >= most - kTolerance; });
        if (first == moves_.end() || first->gain <= kTolerance) return false;
        gain = first->gain;
        make(Move(*first));
        return true;
    }
    std::stable_sort(moves_.begin(), moves_.end(), [](const Move& a, const Move& b) { return a.gain > b.gain; });
    const auto first = std::find_if(moves_.begin(), moves_.end(), [&](const Move& move) { return !turns_back(move); });
    if (first == moves_.end()) return false;
    gain = first->gain;
    make(Move(*first));
    return true;
}

BitMatrix Climb::run(Watch* watch) {
    const auto ended = [&] {
        if (watch) watch->add(1);
        return watch && watch->pulse();
    };
    for (std::uint32_t node = 0; node < n_ && !ended(); ++node) update(node);
    BitMatrix best = children_;
    double now = 0, highest = 0, gain = 0;
    std::uint64_t since_best = 0;
    const auto remember = [&] {
        if (!plan_.tabu) return;
        last_.push_back(children_);
        if (last_.size() > plan_.tabu) last_.pop_front();
    };
    remember();
    while (!(watch && watch->stopped()) && step(gain)) {
        now += gain;
        ++steps_, ++since_best;
        remember();
        if (now > highest + kTolerance) highest = now, best = children_, since_best = 0;
        if ((plan_.tabu && since_best >= plan_.patience) || ended()) break;
    }
    return best;
}

}  // namespace paucal
