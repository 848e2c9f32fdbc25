#include "graphs/dag_chains.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace paucal {
namespace {

constexpr double kFarBelow = 600;  // exp() of more would leave the range of double
constexpr int kFewAvailable = 6;   // up to here all subsets are gone through, beyond the sets by descending score
constexpr std::uint16_t kNoSet = 0xFFFF;
constexpr double kLeastWeight = 1e-200;  // of the best place of a node: if it is less, logarithms are needed
constexpr std::size_t kMostBits = 16;  // of a mask over candidates
constexpr std::size_t kMostLarger = 3000;  // sets of parents of one node beyond those that are all tabulated

// Calls f(place) for the masks inside a set, in order, until it gives true. Eight at a time are passed over.
template <class F> void each_inside(const std::vector<std::uint16_t>& masks, std::uint16_t set, F&& f) {
    using Eight = std::uint16_t __attribute__((vector_size(16)));
    using Two = std::uint64_t __attribute__((vector_size(16)));
    const auto outside = static_cast<std::uint16_t>(~set);
    const Eight forbidden = Eight{} + outside;
    for (std::size_t i = 0; i < masks.size(); i += 8) {
        const std::size_t end = std::min(i + 8, masks.size());
        if (end == i + 8) {
            Eight eight;
            std::memcpy(&eight, masks.data() + i, sizeof eight);
            const Two inside = (Two)((eight & forbidden) == 0);
            if (!(inside[0] | inside[1])) continue;
        }
        for (std::size_t k = i; k < end; ++k)
            if (!(masks[k] & outside) && f(static_cast<std::uint16_t>(k))) return;
    }
}

double log_of_sum(double a, double b) {
    const double most = std::max(a, b), least = std::min(a, b);
    return least < most - kFarBelow ? most : most + std::log1p(std::exp(least - most));
}

// The sets of parents of one node while they are gathered; a set is a mask over the candidates.
class TabulatedSets {
public:
    TabulatedSets(const FamilyTable& family, std::uint32_t child, PenalisedScores& score, int most)
        : family_(family), child_(child), score_(score), most_(most),
          place_(std::size_t{1} << family.candidates.size(), kNowhere) {}

    void add_all(int size) {
        for (unsigned mask = 0; mask < place_.size(); ++mask)
            if (std::popcount(mask) <= std::min(size, most_)) add(mask);
        room_ = std::min<std::size_t>(sets_.size() + kMostLarger, kNoSet);
    }

    // No parents, and a set with its subsets of one parent less: the least that a chain can begin with.
    void add_first(unsigned whole) {
        add(0);
        add(whole);
        for (unsigned rest = whole; rest; rest &= rest - 1) add(whole ^ (rest & -rest));
    }

    // The subsets of a set that are larger than `size`, and it with one parent more.
    void add_within(unsigned whole, int size) {
        if (std::popcount(whole) < size || std::popcount(whole) > kMostWhole) return;
        for (unsigned mask = whole; std::popcount(mask) > 0; mask = (mask - 1) & whole)
            if (std::popcount(mask) > size) add(mask);
        add_larger(whole);
    }

    // One parent more wherever every parent of a set of `size` or more is worth its place.
    void add_where_all_pay(int size) {
        for (std::size_t i = 0; i < sets_.size(); ++i) {
            const unsigned mask = sets_[i].second;
            if (std::popcount(mask) >= size && all_pay(i)) add_larger(mask);
        }
    }

    void store(FamilyTable& family) {
        std::sort(sets_.begin(), sets_.end());
        family.number.assign(place_.size(), kNoSet);
        for (const auto& [negative, mask] : sets_) {
            family.number[mask] = static_cast<std::uint16_t>(family.mask.size());
            family.score.push_back(-negative);
            family.mask.push_back(static_cast<std::uint16_t>(mask));
        }
    }

private:
    static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
    static constexpr int kMostWhole = 10;

    double value(unsigned mask) {
        parents_ = family_.required;
        for (std::size_t b = 0; b < family_.candidates.size(); ++b)
            if (mask >> b & 1) parents_.push_back(family_.candidates[b]);
        return score_(child_, parents_);
    }
    void add(unsigned mask) {
        if (place_[mask] != kNowhere || std::popcount(mask) > most_ || (room_ && sets_.size() >= room_)) return;
        place_[mask] = static_cast<std::uint32_t>(sets_.size());
        sets_.emplace_back(-value(mask), mask);
    }
    void add_larger(unsigned mask) {
        for (std::size_t b = 0; b < family_.candidates.size(); ++b) add(mask | 1u << b);
    }
    bool all_pay(std::size_t i) {
        const auto [negative, mask] = sets_[i];
        for (unsigned rest = mask; rest; rest &= rest - 1) {
            const unsigned fewer = mask ^ (rest & -rest);
            const double without = place_[fewer] == kNowhere ? value(fewer) : -sets_[place_[fewer]].first;
            if (without >= -negative) return false;
        }
        return true;
    }

    const FamilyTable& family_;
    std::uint32_t child_;
    PenalisedScores& score_;
    int most_;
    std::size_t room_ = 0;
    std::vector<std::uint32_t> place_;                  // by mask
    std::vector<std::pair<double, unsigned>> sets_;     // the score with its sign changed, and the mask
    std::vector<std::uint32_t> parents_;
};

}  // namespace

FamilyTables::FamilyTables(Scorer& scorer, const ArcRules& rules,
                           const std::vector<std::vector<std::uint32_t>>& candidates,
                           const std::vector<FoundDag>& found, SetSizes sizes, std::vector<double> heats, Watch* watch)
    : heats_(std::move(heats)), families_(rules.n), links_(rules.n * rules.n), possible_children_(rules.n),
      linked_(rules.n) {
    PenalisedScores score(scorer, rules);
    for (std::uint32_t v = 0; v < rules.n; ++v) {
        link(rules, v, candidates[v]);
        find_sets(families_[v], v, score, found, sizes, watch && watch->pulse());
        sum_up(families_[v]);
    }
    finish();
}

FamilyTables::FamilyTables(StateReader& in, const ArcRules& rules)
    : heats_(in.list<double>()), families_(rules.n), links_(rules.n * rules.n), possible_children_(rules.n),
      linked_(rules.n) {
    in.check(!heats_.empty(), "there is no heat");
    for (const double heat : heats_) in.check(heat >= 0 && std::isfinite(heat), "a heat is not a number from 0 on");
    for (std::uint32_t v = 0; v < rules.n; ++v) {
        std::vector<std::uint32_t> candidates = in.list<std::uint32_t>();
        in.check(candidates.size() <= kMostBits, "a node has too many candidates");
        for (std::size_t b = 0; b < candidates.size(); ++b) {
            const std::uint32_t u = candidates[b];
            in.check(u < rules.n && u != v && !rules.must(u, v) &&
                         std::find(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(b), u) ==
                             candidates.begin() + static_cast<std::ptrdiff_t>(b),
                     "a candidate is none");
        }
        link(rules, v, std::move(candidates));
        FamilyTable& family = families_[v];
        family.mask = in.list<std::uint16_t>();
        family.score = in.list<double>(family.mask.size(), "a list of scores");
        in.check(family.mask.size() < kNoSet, "a node has too many sets of parents");
        family.number.assign(std::size_t{1} << family.candidates.size(), kNoSet);
        for (std::size_t i = 0; i < family.mask.size(); ++i) {
            in.check(family.mask[i] < family.number.size() && family.number[family.mask[i]] == kNoSet,
                     "a set of parents is none, or there twice");
            in.check(std::isfinite(family.score[i]) && (i == 0 || family.score[i] <= family.score[i - 1]),
                     "scores are not in descending order");
            family.number[family.mask[i]] = static_cast<std::uint16_t>(i);
        }
        in.check(family.number[0] != kNoSet, "a node cannot be without parents");
        sum_up(family);
    }
    finish();
}

void FamilyTables::write(StateWriter& out) const {
    out.list(heats_);
    for (const FamilyTable& family : families_) out.list(family.candidates), out.list(family.mask), out.list(family.score);
}

void FamilyTables::link(const ArcRules& rules, std::uint32_t v, std::vector<std::uint32_t> candidates) {
    FamilyTable& family = families_[v];
    for (std::uint32_t u = 0; u < rules.n; ++u)
        if (rules.must(u, v)) {
            family.required.push_back(u);
            links_[u * rules.n + v].behind = links_[v * rules.n + u].before = true;
        }
    for (std::size_t b = 0; b < candidates.size(); ++b) {
        const std::uint32_t u = candidates[b];
        links_[u * rules.n + v].mine = links_[v * rules.n + u].other = static_cast<std::uint16_t>(1u << b);
        possible_children_[u].push_back(v);
    }
    family.candidates = std::move(candidates);
}

void FamilyTables::finish() {
    const std::size_t n = size();
    for (std::uint32_t u = 0; u < n; ++u)
        for (std::uint32_t w = 0; w < n; ++w)
            if (const Link& link = links(u)[w]; link.mine || link.other || link.before || link.behind)
                linked_[u].push_back(w);
    Checksum sum;
    sum.add(heats_);
    for (const FamilyTable& family : families_)
        sum.add(family.required), sum.add(family.candidates), sum.add(family.mask), sum.add(family.score);
    fingerprint_ = sum.value();
}

void FamilyTables::find_sets(FamilyTable& family, std::uint32_t v, PenalisedScores& score,
                             const std::vector<FoundDag>& found, SetSizes sizes, bool ended) const {
    TabulatedSets sets(family, v, score, sizes.most);
    const auto mask_of = [&](const FoundDag& dag) {
        unsigned mask = 0;
        for (const std::uint32_t u : dag.parents[v]) mask |= links(v)[u].other;
        return mask;
    };
    if (ended) {
        sets.add_first(mask_of(found.front()));
    } else {
        sets.add_all(sizes.all_to);
        for (const FoundDag& dag : found) sets.add_within(mask_of(dag), sizes.all_to);
        sets.add_where_all_pay(sizes.all_to);
    }
    sets.store(family);
}

void FamilyTables::sum_up(FamilyTable& family) const {
    const std::size_t subsets = std::size_t{1} << family.candidates.size();
    const double top = family.score.front(), empty = family.score[family.number[0]];
    for (const double heat : heats_) {
        // Every subset holds the empty set, so no sum is smaller than its weight: if that is a number of ordinary
        // size, plain sums will do.
        FamilyTable::Heat& at = family.heats.emplace_back(FamilyTable::Heat{heat, !(heat * (top - empty) < kFarBelow), {}, {}});
        for (const double s : family.score) at.weight.push_back(std::exp(heat * (s - top)));
        at.sum.assign(subsets, at.logs ? std::numeric_limits<double>::lowest() : 0);
        double* sum = at.sum.data();
        for (std::size_t i = 0; i < at.weight.size(); ++i)
            sum[family.mask[i]] = at.logs ? heat * (family.score[i] - top) : at.weight[i];
        for (std::size_t bit = 1; bit < subsets; bit *= 2)
            for (std::size_t block = 0; block < subsets; block += 2 * bit)
                for (std::size_t mask = block; mask < block + bit; ++mask) {
                    double& with = sum[mask + bit];
                    const double without = sum[mask];
                    with = at.logs ? log_of_sum(with, without) : with + without;
                }
    }
}

std::uint64_t FamilyTables::n_sets() const {
    std::uint64_t n = 0;
    for (const FamilyTable& family : families_) n += family.mask.size();
    return n;
}

Walker::Walker(const FamilyTables& tables, const ArcRules& rules, std::size_t heat, const FoundDag& start,
               Random& random)
    : tables_(tables), rules_(rules), heat_(heat), log_integer_(rules.n + 1), waiting_(rules.n), children_(rules.n) {
    for (std::size_t i = 1; i <= rules.n; ++i) log_integer_[i] = std::log(static_cast<double>(i));
    for (std::size_t v = 0; v < rules.n; ++v) {
        const FamilyTable::Heat& at = tables[v].heats[heat];
        weights_.push_back({at.weight.data(), at.sum.data(), at.logs});
    }
    now_.order = start.order;
    for (auto* of_node : {&now_.place, &now_.last, &now_.ready}) of_node->resize(rules.n);
    for (auto* of_node : {&now_.before, &now_.choice, &now_.mask}) of_node->resize(rules.n);
    now_.frees.resize(rules.n + 1);
    for (std::uint32_t i = 0; i < rules.n; ++i) now_.place[now_.order[i]] = i;
    find_before();
    for (std::uint32_t v = 0; v < rules.n; ++v) {
        choose(v, tables[v].number[0]);
        choose(v, draw(v, now_.before[v], random));
    }
    draw_order(random);
}

void Walker::find_before() {
    for (std::uint32_t v = 0; v < rules_.n; ++v) {
        unsigned before = 0;
        const auto& candidates = tables_[v].candidates;
        for (std::size_t b = 0; b < candidates.size(); ++b)
            before |= static_cast<unsigned>(now_.place[candidates[b]] < now_.place[v]) << b;
        now_.before[v] = static_cast<std::uint16_t>(before);
    }
}

template <class F> void Walker::each_parent(std::uint32_t v, std::uint16_t mask, F&& f) const {
    const FamilyTable& family = tables_[v];
    for (const std::uint32_t u : family.required) f(u);
    const std::uint32_t* candidates = family.candidates.data();
    for (unsigned rest = mask; rest; rest &= rest - 1) f(candidates[std::countr_zero(rest)]);
}

// Draws among the sets inside `available`, with probability proportional to exp(heat * score). What v has now is tried
// first: often it is by far the best.
std::uint16_t Walker::draw(std::uint32_t v, std::uint16_t available, Random& random) const {
    const FamilyTable& family = tables_[v];
    const Weights& at = weights_[v];
    const double* sum = at.sum;
    const double total = sum[available];
    double left = at.logs ? random.uniform() : random.uniform() * total;
    const auto weight_of = [&](std::uint16_t set) {
        return at.logs ? std::exp(tables_.heats()[heat_] * (family.score[set] - family.score.front()) - total) : at.weight[set];
    };
    const std::uint16_t now = now_.mask[v] & ~available ? kNoSet : now_.choice[v];
    if (now != kNoSet && (left -= weight_of(now)) < 0) return now;
    std::uint16_t chosen = family.number[0];
    const auto take = [&](std::uint16_t set) {  // true when the draw has fallen on it
        if (set == now) return false;
        chosen = set;
        return (left -= weight_of(set)) < 0;
    };
    if (std::popcount(available) > kFewAvailable) {
        each_inside(family.mask, available, take);
        return chosen;
    }
    // All subsets, from the largest number to the smallest: those with the first candidate of all that is in one come
    // first, and how much all without it weigh is known.
    unsigned fixed = 0, rest = available;
    if (!at.logs) {
        while (rest) {
            const unsigned highest = std::bit_floor(rest);
            double those = sum[rest] - sum[rest ^ highest];
            if (now != kNoSet && std::bit_floor(unsigned{now_.mask[v]}) == highest) those -= weight_of(now);
            if (left < those) {
                fixed = highest;
                break;
            }
            left -= those;
            rest ^= highest;
        }
        rest ^= fixed;
    }
    for (unsigned subset = rest;; subset = (subset - 1) & rest) {
        if (const std::uint16_t set = family.number[subset | fixed]; set != kNoSet && take(set)) break;
        if (subset == 0) break;
    }
    return chosen;
}

void Walker::set_last(std::uint32_t v, std::uint32_t parent) {
    --now_.frees[now_.last[v]];
    ++now_.frees[parent];
    now_.last[v] = parent;
}

// After nodes from lo to hi have moved and some nodes have another last parent: how many nodes are ready at the places from
// `first`, the first that is affected, to hi. Gives what ln pr(order | DAG) gains over what is noted for these places.
double Walker::find_ready(std::size_t lo, std::size_t hi, std::size_t& first) {
    const auto freed_at = [&](std::uint32_t parent) { return parent == rules_.n ? 0 : std::size_t{now_.place[parent]} + 1; };
    first = lo;
    for (const auto& [v, last] : refreed_) first = std::min({first, freed_at(last), freed_at(now_.last[v])});
    std::uint32_t ready = now_.ready[first];
    for (const auto& [v, last] : refreed_) {
        ready += freed_at(now_.last[v]) <= first;
        ready -= freed_at(last) <= first;
    }
    fresh_.clear();
    double gain = 0;
    for (std::size_t i = first; i <= hi; ++i) {
        fresh_.push_back(ready);
        gain += log_integer_[now_.ready[i]] - log_integer_[ready];
        ready += now_.frees[now_.order[i]];
        --ready;
    }
    return gain;
}

// What each place weighs where u may stand, up to a constant: the sums over its own parents and over those of its possible
// children, which change from one place to the next as their candidates come to stand before or behind them.
template <bool kLogs> void Walker::weigh_places(std::uint32_t u) {
    const Link* links = tables_.links(u);
    const Weights& own = weights_[u];
    const auto of_own = [&](std::uint16_t before) {
        const double sum = own.sum[before];
        return kLogs == own.logs ? sum : kLogs ? std::log(sum) : std::exp(sum);
    };
    std::uint16_t before = 0;
    double others = kLogs ? 0 : 1;
    first_ = 0, end_ = rules_.n;
    places_.clear();
    places_.push_back({0, of_own(0)});
    marked_.assign((rules_.n + 63) / 64, 0);  // places of who has a link with u: only there something changes
    for (const std::uint32_t w : tables_.linked(u)) marked_[now_.place[w] / 64] |= std::uint64_t{1} << (now_.place[w] % 64);
    each_member(marked_.data(), marked_.size(), [&](std::uint32_t at) {
        const std::uint32_t w = now_.order[at];
        const Link link = links[w];
        const std::size_t place = at + (at < now_.place[u]);  // behind w, once u is taken out
        if (link.before) first_ = place;
        if (link.behind) end_ = std::min(end_, place);
        if (!(link.mine | link.other)) return;
        before |= link.other;
        if (link.mine) {
            const Weights& at = weights_[w];
            const double without = at.sum[now_.before[w] & ~link.mine], with = at.sum[now_.before[w] | link.mine];
            if constexpr (kLogs)
                others += at.logs ? without - with : std::log(without / with);
            else
                others *= at.logs ? std::exp(without - with) : without / with;
        }
        places_.push_back({place, kLogs ? others + of_own(before) : others * of_own(before)});
    });
}

std::size_t Walker::draw_place(std::uint32_t u, Random& random) {
    const auto each = [&](auto&& f) {  // true from f: that was all
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const std::size_t begin = std::max(places_[i].first, first_);
            const std::size_t end = std::min(i + 1 < places_.size() ? places_[i + 1].first : rules_.n, end_);
            if (begin < end && f(begin, end - begin, places_[i].weight)) return;
        }
    };
    const auto largest = [&] {
        double most = -std::numeric_limits<double>::infinity();
        each([&](std::size_t, std::size_t, double weight) { return most = std::max(most, weight), false; });
        return most;
    };
    weigh_places<false>(u);
    if (largest() < kLeastWeight) {
        weigh_places<true>(u);
        const double most = largest();
        for (Places& one : places_) one.weight = std::exp(one.weight - most);
    }
    double total = 0;
    each([&](std::size_t, std::size_t count, double weight) {
        return total += weight * static_cast<double>(count), false;
    });
    double left = random.uniform() * total;
    std::size_t place = first_;
    each([&](std::size_t begin, std::size_t count, double weight) {
        if (!(weight > 0)) return false;
        const double here = weight * static_cast<double>(count);
        place = begin + (left < here ? std::min(count - 1, static_cast<std::size_t>(left / weight)) : count - 1);
        left -= here;
        return left < 0;
    });
    return place;
}

// Moves u to another place, and all between by one.
void Walker::shift(std::uint32_t u, std::size_t to) {
    const Link* links = tables_.links(u);
    const std::size_t from = now_.place[u], step = to > from ? 1 : ~std::size_t{0};
    std::uint16_t before = now_.before[u];
    for (std::size_t at = from; at != to; at += step) {
        const std::uint32_t w = now_.order[at + step];
        now_.order[at] = w;
        now_.place[w] = static_cast<std::uint32_t>(at);
        now_.before[w] ^= links[w].mine;
        before ^= links[w].other;
    }
    now_.order[to] = u;
    now_.place[u] = static_cast<std::uint32_t>(to);
    now_.before[u] = before;
}

void Walker::relocate(std::uint32_t u, Random& random) {
    const std::size_t from = now_.place[u], to = draw_place(u, random);
    ++moves_;
    if (to == from) {
        ++accepted_;
        return;
    }
    const std::size_t lo = std::min(from, to), hi = std::max(from, to);
    const Link* links = tables_.links(u);
    const std::uint16_t before = now_.before[u];
    shift(u, to);
    redrawn_.clear(), refreed_.clear();
    const auto redraw = [&](std::uint32_t v) {
        redrawn_.emplace_back(v, now_.choice[v]);
        choose(v, draw(v, now_.before[v], random));
    };
    const auto refree = [&](std::uint32_t v) {
        auto last = static_cast<std::uint32_t>(rules_.n);
        each_parent(v, now_.mask[v], [&](std::uint32_t p) {
            if (last == rules_.n || now_.place[p] > now_.place[last]) last = p;
        });
        if (last == now_.last[v]) return;
        refreed_.emplace_back(v, now_.last[v]);
        set_last(v, last);
    };
    if (now_.before[u] != before) redraw(u), refree(u);
    for (const std::uint32_t w : tables_.linked(u)) {
        const Link link = links[w];
        const bool passed = now_.place[w] + (from < to) > lo && now_.place[w] + (from < to) <= hi;
        const bool changed = link.mine && passed;
        if (changed) redraw(w);
        if (changed || link.behind || (now_.mask[w] & link.mine)) refree(w);
    }
    std::size_t first;
    const double gain = find_ready(lo, hi, first);
    if (gain >= 0 || random.uniform() < std::exp(gain)) {
        ++accepted_;
        std::copy(fresh_.begin(), fresh_.end(), now_.ready.begin() + static_cast<std::ptrdiff_t>(first));
        return;
    }
    shift(u, from);
    for (const auto& [v, choice] : redrawn_) choose(v, choice);
    for (const auto& [v, last] : refreed_) set_last(v, last);
}

void Walker::draw_parents(Random& random) {
    children(children_);
    for (std::uint32_t v = 0; v < rules_.n; ++v) {
        children_.reach(v, seen_, stack_);
        unsigned available = 0;
        const auto& candidates = tables_[v].candidates;
        for (std::size_t b = 0; b < candidates.size(); ++b)
            available |= static_cast<unsigned>(~(seen_[candidates[b] / 64] >> (candidates[b] % 64)) & 1) << b;
        const std::uint16_t fresh = draw(v, static_cast<std::uint16_t>(available), random);
        if (fresh == now_.choice[v]) continue;
        each_parent(v, now_.mask[v], [&](std::uint32_t u) { children_.clear(u, v); });
        choose(v, fresh);
        each_parent(v, now_.mask[v], [&](std::uint32_t u) { children_.set(u, v); });
    }
}

void Walker::draw_order(Random& random) {
    const auto n = static_cast<std::uint32_t>(rules_.n);
    children(children_);
    ready_.clear();
    for (std::uint32_t v = 0; v < n; ++v) {
        waiting_[v] = static_cast<std::uint32_t>(tables_[v].required.size()) + static_cast<std::uint32_t>(std::popcount(now_.mask[v]));
        if (waiting_[v] == 0) ready_.push_back(v);
    }
    std::fill(now_.last.begin(), now_.last.end(), n);
    std::fill(now_.frees.begin(), now_.frees.end(), 0);
    now_.frees[n] = static_cast<std::uint32_t>(ready_.size());
    for (std::uint32_t i = 0; i < n; ++i) {
        now_.ready[i] = static_cast<std::uint32_t>(ready_.size());
        std::uint32_t& drawn = ready_[random.below(static_cast<std::uint32_t>(ready_.size()))];
        const std::uint32_t v = drawn;
        drawn = ready_.back();
        ready_.pop_back();
        now_.order[i] = v;
        now_.place[v] = i;
        children_.each(v, [&](std::uint32_t w) {
            if (--waiting_[w] > 0) return;
            ready_.push_back(w);
            now_.last[w] = v;
            ++now_.frees[v];
        });
    }
    find_before();
}

void Walker::write(StateWriter& out) const { out.list(now_.order), out.list(now_.choice), out.number(moves_), out.number(accepted_); }

void Walker::read(StateReader& in) {
    const std::size_t n = rules_.n;
    now_.order = in.list<std::uint32_t>(n, "an order");
    now_.choice = in.list<std::uint16_t>(n, "a DAG");
    moves_ = in.number<std::uint64_t>(), accepted_ = in.number<std::uint64_t>();
    in.check(accepted_ <= moves_, "more moves were accepted than made");
    now_.place.assign(n, static_cast<std::uint32_t>(n));
    for (std::uint32_t i = 0; i < n; ++i) {
        in.check(now_.order[i] < n && now_.place[now_.order[i]] == n, "an order is no permutation");
        now_.place[now_.order[i]] = i;
    }
    for (std::uint32_t v = 0; v < n; ++v) {
        in.check(now_.choice[v] < tables_[v].mask.size(), "a set of parents does not exist");
        choose(v, now_.choice[v]);
        each_parent(v, now_.mask[v], [&](std::uint32_t u) { in.check(now_.place[u] < now_.place[v], "an order does not fit its DAG"); });
    }
    find_places();
}

// All that follows from order and DAG, as drawing an order leaves it.
void Walker::find_places() {
    const auto n = static_cast<std::uint32_t>(rules_.n);
    now_.frees.assign(n + 1, 0);
    for (std::uint32_t v = 0; v < n; ++v) {
        std::uint32_t last = n;
        each_parent(v, now_.mask[v], [&](std::uint32_t u) {
            if (last == n || now_.place[u] > now_.place[last]) last = u;
        });
        now_.last[v] = last;
        ++now_.frees[last];
    }
    std::uint32_t ready = now_.frees[n];
    for (std::uint32_t i = 0; i < n; ++i) {
        now_.ready[i] = ready;
        ready += now_.frees[now_.order[i]];
        --ready;
    }
    find_before();
}

double Walker::score() const {
    double sum = 0;
    for (std::uint32_t v = 0; v < rules_.n; ++v) sum += tables_[v].score[now_.choice[v]];
    return sum;
}

void Walker::children(BitMatrix& out) const {
    out.clear();
    for (std::uint32_t v = 0; v < rules_.n; ++v)
        each_parent(v, now_.mask[v], [&](std::uint32_t u) { out.set(u, v); });
}

Chain::Chain(const FamilyTables& tables, const ArcRules& rules, const std::uint8_t* forbidden, const FoundDag& start,
             Random random)
    : tables_(tables), random_(random), completion_(rules.n, forbidden), children_(rules.n), parents_(rules.n),
      around_(rules.n) {
    for (std::size_t heat = 0; heat < tables.heats().size(); ++heat)
        walkers_.emplace_back(tables, rules, heat, start, random_);
    for (auto* tally : {&tallies_.arrow, &tallies_.line, &tallies_.blanket, &tallies_.causes})
        tally->assign(rules.n * rules.n, 0);
    best_ = walkers_.front().choice();
    best_score_ = walkers_.front().score();
}

void Chain::run(int rounds, bool record, Watch* watch) {
    const auto n = static_cast<std::uint32_t>(tables_.size());
    for (int half = 0; half < 2 * rounds; ++half) {
        const std::uint32_t moves = half % 2 ? n / 2 : n - n / 2;
        for (Walker& walker : walkers_) {
            for (std::uint32_t i = 0; i < moves; ++i) walker.relocate(random_.below(n), random_);
            walker.draw_parents(random_);
            walker.draw_order(random_);
        }
        swap_heats();
        if (const double score = walkers_.front().score(); score > best_score_) {
            best_score_ = score;
            best_ = walkers_.front().choice();
        }
        if (record) note();
        if (watch && watch->pulse()) return;
    }
}

void Chain::write(StateWriter& out) const {
    out.number(tables_.fingerprint());
    out.random(random_);
    for (const Walker& walker : walkers_) walker.write(out);
    for (const auto* tally : {&tallies_.arrow, &tallies_.line, &tallies_.blanket, &tallies_.causes}) out.list(*tally);
    out.number(static_cast<std::uint64_t>(tallies_.dags.size()));
    for (const auto& choice : tallies_.dags) out.list(choice);
    out.list(best_);
    out.number(swaps_), out.number(swapped_);
}

void Chain::read(StateReader& in) {
    in.check(in.number<std::uint64_t>() == tables_.fingerprint(), "it belongs to other tables of parents");
    const Random random = in.random();
    std::vector<Walker> walkers = walkers_;
    for (Walker& walker : walkers) walker.read(in);
    Tallies tallies;
    const std::size_t n = tables_.size();
    for (auto* tally : {&tallies.arrow, &tallies.line, &tallies.blanket, &tallies.causes})
        *tally = in.list<std::uint32_t>(n * n, "a tally");
    const auto recorded = in.number<std::uint64_t>();
    for (std::uint64_t i = 0; i < recorded; ++i) tallies.dags.push_back(read_choice(in));
    for (const auto* tally : {&tallies.arrow, &tallies.line, &tallies.blanket, &tallies.causes})
        for (const std::uint32_t count : *tally) in.check(count <= recorded, "a tally is larger than the number of DAGs");
    std::vector<std::uint16_t> best = read_choice(in);
    const auto swaps = in.number<std::uint64_t>(), swapped = in.number<std::uint64_t>();
    in.check(swapped <= swaps, "more swaps were made than tried");
    in.end();
    random_ = random;
    walkers_.swap(walkers);
    tallies_ = std::move(tallies);
    best_ = std::move(best);
    best_score_ = score_of(best_);
    swaps_ = swaps, swapped_ = swapped;
}

std::vector<std::uint16_t> Chain::read_choice(StateReader& in) const {
    std::vector<std::uint16_t> choice = in.list<std::uint16_t>(tables_.size(), "a DAG");
    BitMatrix children(choice.size());
    for (std::size_t v = 0; v < choice.size(); ++v) {
        const FamilyTable& family = tables_[v];
        in.check(choice[v] < family.mask.size(), "a set of parents does not exist");
        for (const std::uint32_t u : family.required) children.set(u, v);
        for (unsigned rest = family.mask[choice[v]]; rest; rest &= rest - 1)
            children.set(family.candidates[static_cast<std::size_t>(std::countr_zero(rest))], v);
    }
    in.check(acyclic(children), "a DAG has a cycle");
    return choice;
}

double Chain::score_of(const std::vector<std::uint16_t>& choice) const {
    double sum = 0;  // in the order of Walker::score
    for (std::size_t v = 0; v < choice.size(); ++v) sum += tables_[v].score[choice[v]];
    return sum;
}

void Chain::swap_heats() {
    for (std::size_t i = 0; i + 1 < walkers_.size(); ++i) {
        const double gain = (tables_.heats()[i] - tables_.heats()[i + 1]) *
                            (walkers_[i + 1].score() - walkers_[i].score());
        ++swaps_;
        if (gain >= 0 || random_.uniform() < std::exp(gain)) {
            ++swapped_;
            walkers_[i].swap(walkers_[i + 1]);
        }
    }
}

void Chain::note() {
    const std::size_t n = tables_.size();
    walkers_.front().children(children_);
    completion_.complete(children_);
    for (std::uint32_t a = 0; a < n; ++a) {
        completion_.arrows().each(a, [&](std::uint32_t b) { ++tallies_.arrow[a * n + b]; });
        completion_.lines().each(a, [&](std::uint32_t b) { ++tallies_.line[a * n + b]; });
    }
    const std::size_t words = children_.words();
    const auto add = [&](std::uint32_t to, const std::uint64_t* more) {
        for (std::size_t w = 0; w < words; ++w) around_[to][w] |= more[w];
    };
    const auto count = [&](std::vector<std::uint32_t>& tally) {
        for (std::uint32_t a = 0; a < n; ++a) around_.each(a, [&](std::uint32_t b) { tally[a * n + b] += a != b; });
    };
    // The Markov blanket: whoever is joined to a node, or has a child with it.
    parents_.clear(), around_.clear();
    for (std::uint32_t a = 0; a < n; ++a) children_.each(a, [&](std::uint32_t b) { parents_.set(b, a); });
    for (std::uint32_t v = 0; v < n; ++v) {
        add(v, children_[v]), add(v, parents_[v]);
        parents_.each(v, [&](std::uint32_t a) { add(a, parents_[v]); });
    }
    count(tallies_.blanket);
    // Who is below: children, and those below them, which come first when the order is read from its end.
    around_.clear();
    const std::vector<std::uint32_t>& order = walkers_.front().order();
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
        add(*v, children_[*v]);
        children_.each(*v, [&](std::uint32_t b) { add(*v, around_[b]); });
    }
    count(tallies_.causes);
    tallies_.dags.push_back(walkers_.front().choice());
}

}  // namespace paucal
