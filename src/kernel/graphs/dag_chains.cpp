#include "graphs/dag_chains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace paucal {
namespace {

constexpr double kFarBelow = 600;  // exp() of more would leave the range of double
constexpr int kFewAvailable = 6;   // up to here all subsets are gone through, beyond the sets by descending score
constexpr std::uint16_t kNoSet = 0xFFFF;
constexpr std::size_t kMostLarger = 3000;  // sets of parents of one node beyond those that are all tabulated

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
    : heats_(std::move(heats)), families_(rules.n), bit_(rules.n * rules.n, -1), possible_children_(rules.n) {
    PenalisedScores score(scorer, rules);
    for (std::uint32_t v = 0; v < rules.n; ++v) {
        FamilyTable& family = families_[v];
        family.candidates = candidates[v];
        for (std::uint32_t u = 0; u < rules.n; ++u)
            if (rules.must(u, v)) family.required.push_back(u);
        for (std::size_t b = 0; b < candidates[v].size(); ++b) {
            bit_[v * rules.n + candidates[v][b]] = static_cast<std::int8_t>(b);
            possible_children_[candidates[v][b]].push_back(v);
        }
        find_sets(family, v, score, found, sizes, watch && watch->pulse());
        sum_up(family);
    }
}

void FamilyTables::find_sets(FamilyTable& family, std::uint32_t v, PenalisedScores& score,
                             const std::vector<FoundDag>& found, SetSizes sizes, bool ended) const {
    TabulatedSets sets(family, v, score, sizes.most);
    const auto mask_of = [&](const FoundDag& dag) {
        unsigned mask = 0;
        for (const std::uint32_t u : dag.parents[v])
            if (const int b = bit(v, u); b >= 0) mask |= 1u << b;
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
    const double empty = family.score[family.number[0]];
    const double top = family.score.front();
    for (const double heat : heats_) {
        auto& weight = family.weight.emplace_back();
        for (const double s : family.score) weight.push_back(std::exp(heat * (s - top)));
        auto& sum = family.log_sum.emplace_back(subsets, 0.);
        // Every subset holds the empty set, so no sum is smaller than its weight: if that is a number of ordinary
        // size, plain sums will do.
        if (heat * (top - empty) < kFarBelow) {
            for (std::size_t i = 0; i < weight.size(); ++i) sum[family.mask[i]] = weight[i];
            for (std::size_t bit = 1; bit < subsets; bit *= 2)
                for (std::size_t mask = 0; mask < subsets; ++mask)
                    if (mask & bit) sum[mask] += sum[mask ^ bit];
            for (double& s : sum) s = std::log(s) + heat * top;
        } else {
            std::fill(sum.begin(), sum.end(), std::numeric_limits<double>::lowest());
            for (std::size_t i = 0; i < weight.size(); ++i) sum[family.mask[i]] = heat * family.score[i];
            for (std::size_t bit = 1; bit < subsets; bit *= 2)
                for (std::size_t mask = 0; mask < subsets; ++mask)
                    if (mask & bit) {
                        const double a = std::max(sum[mask], sum[mask ^ bit]), b = std::min(sum[mask], sum[mask ^ bit]);
                        sum[mask] = b < a - kFarBelow ? a : a + std::log1p(std::exp(b - a));
                    }
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
    : tables_(tables), rules_(rules), heat_(heat), log_weight_(rules.n), weight_(rules.n), log_integer_(rules.n + 1),
      freed_(rules.n + 1), waiting_(rules.n), children_(rules.n) {
    for (std::size_t i = 1; i <= rules.n; ++i) log_integer_[i] = std::log(static_cast<double>(i));
    now_.order = start.order;
    now_.place.resize(rules.n);
    now_.before.resize(rules.n);
    now_.choice.resize(rules.n);
    for (std::uint32_t i = 0; i < rules.n; ++i) now_.place[now_.order[i]] = i;
    find_before(now_);
    for (std::uint32_t v = 0; v < rules.n; ++v) now_.choice[v] = draw(v, now_.before[v], random);
    now_.log_order = log_order_chance(now_);
    next_ = now_;
}

void Walker::find_before(DagState& state) const {
    for (std::uint32_t v = 0; v < rules_.n; ++v) {
        std::uint16_t before = 0;
        const auto& candidates = tables_[v].candidates;
        for (std::size_t b = 0; b < candidates.size(); ++b)
            if (state.place[candidates[b]] < state.place[v]) before |= static_cast<std::uint16_t>(1u << b);
        state.before[v] = before;
    }
}

template <class F> void Walker::each_parent(std::uint32_t v, std::uint16_t choice, F&& f) const {
    const FamilyTable& family = tables_[v];
    for (const std::uint32_t u : family.required) f(u);
    for (unsigned mask = family.mask[choice]; mask; mask &= mask - 1)
        f(family.candidates[static_cast<std::size_t>(std::countr_zero(mask))]);
}

// Draws among the sets inside `available`, with probability proportional to exp(heat * score).
std::uint16_t Walker::draw(std::uint32_t v, std::uint16_t available, Random& random) const {
    const FamilyTable& family = tables_[v];
    const double heat = tables_.heats()[heat_], total = family.log_sum[heat_][available];
    const double gap = heat * family.score.front() - total;  // how far the best set is above all available ones
    const bool ordinary = gap < kFarBelow;
    const double scale = ordinary ? std::exp(gap) : 0;
    const double* weight = family.weight[heat_].data();
    double left = random.uniform();
    std::uint16_t chosen = 0;
    const auto take = [&](std::uint16_t set) {  // true when the draw has fallen on it
        chosen = set;
        left -= ordinary ? weight[set] * scale : std::exp(heat * family.score[set] - total);
        return left < 0;
    };
    if (std::popcount(available) <= kFewAvailable) {
        for (std::uint16_t subset = available;; subset = static_cast<std::uint16_t>((subset - 1) & available)) {
            if (const std::uint16_t set = family.number[subset]; set != kNoSet && take(set)) break;
            if (subset == 0) break;
        }
        return chosen;
    }
    for (std::size_t i = 0; i < family.mask.size(); ++i)
        if (!(family.mask[i] & ~available) && take(static_cast<std::uint16_t>(i))) break;
    return chosen;
}

// A node may be placed once its last parent stands; at each step every node that may be is as likely as the others.
double Walker::log_order_chance(const DagState& state) {
    const std::size_t n = rules_.n;
    std::fill(freed_.begin(), freed_.end(), 0);
    for (std::uint32_t v = 0; v < n; ++v) {
        std::uint32_t after = 0;
        each_parent(v, state.choice[v], [&](std::uint32_t u) { after = std::max(after, state.place[u] + 1); });
        ++freed_[after];
    }
    double log_chance = 0;
    std::uint32_t ready = 0;
    for (std::size_t i = 0; i < n; ++i) {
        ready += freed_[i];
        log_chance -= log_integer_[ready];
        --ready;
    }
    return log_chance;
}

void Walker::relocate(std::uint32_t u, Random& random) {
    const std::size_t n = rules_.n;
    const FamilyTable& own = tables_[u];
    const std::vector<double>& own_sum = own.log_sum[heat_];

    // ln of the weight of each place, up to a constant; places that required arcs forbid have none.
    std::size_t first = 0, last = n - 1, i = 0;
    std::uint16_t mine = 0;
    double others = 0, most = -std::numeric_limits<double>::infinity();
    for (std::size_t at = 0; at <= n; ++at) {
        if (at < n && now_.order[at] == u) continue;
        log_weight_[i] = others + own_sum[mine];
        if (at == n) break;
        const std::uint32_t w = now_.order[at];
        if (rules_.must(w, u)) first = i + 1;
        if (rules_.must(u, w)) last = std::min(last, i);
        if (const int bit = tables_.bit(w, u); bit >= 0) {
            const std::vector<double>& sum = tables_[w].log_sum[heat_];
            const auto me = static_cast<std::uint16_t>(1u << bit);
            others += sum[now_.before[w] & ~me] - sum[now_.before[w] | me];
        }
        if (const int bit = tables_.bit(u, w); bit >= 0) mine |= static_cast<std::uint16_t>(1u << bit);
        ++i;
    }
    for (i = first; i <= last; ++i) most = std::max(most, log_weight_[i]);
    double total = 0;
    for (i = first; i <= last; ++i) {
        // neighbouring places mostly weigh the same
        weight_[i] = i > first && log_weight_[i] == log_weight_[i - 1] ? weight_[i - 1] : std::exp(log_weight_[i] - most);
        total += weight_[i];
    }
    double left = random.uniform() * total;
    std::size_t place = first;
    for (i = first; i <= last; ++i) {
        if (weight_[i] > 0) place = i;
        left -= weight_[i];
        if (left < 0) break;
    }

    next_ = now_;
    const std::size_t from = now_.place[u];
    const int step = place > from ? 1 : -1;
    for (std::size_t at = from; at != place; at += static_cast<std::size_t>(step)) {
        const std::uint32_t w = next_.order[at + static_cast<std::size_t>(step)];
        next_.order[at] = w;
        next_.place[w] = static_cast<std::uint32_t>(at);
        if (const int bit = tables_.bit(w, u); bit >= 0) next_.before[w] ^= static_cast<std::uint16_t>(1u << bit);
        if (const int bit = tables_.bit(u, w); bit >= 0) next_.before[u] ^= static_cast<std::uint16_t>(1u << bit);
    }
    next_.order[place] = u;
    next_.place[u] = static_cast<std::uint32_t>(place);
    next_.choice[u] = draw(u, next_.before[u], random);
    for (const std::uint32_t w : tables_.possible_children(u)) next_.choice[w] = draw(w, next_.before[w], random);
    next_.log_order = log_order_chance(next_);
    ++moves_;
    const double gain = next_.log_order - now_.log_order;
    if (gain >= 0 || random.uniform() < std::exp(gain)) {
        ++accepted_;
        std::swap(now_, next_);
    }
}

void Walker::draw_parents(Random& random) {
    children(children_);
    for (std::uint32_t v = 0; v < rules_.n; ++v) {
        children_.reach(v, seen_, stack_);
        std::uint16_t available = 0;
        const auto& candidates = tables_[v].candidates;
        for (std::size_t b = 0; b < candidates.size(); ++b)
            if (!(seen_[candidates[b] / 64] >> (candidates[b] % 64) & 1)) available |= static_cast<std::uint16_t>(1u << b);
        const std::uint16_t fresh = draw(v, available, random);
        if (fresh == now_.choice[v]) continue;
        each_parent(v, now_.choice[v], [&](std::uint32_t u) { children_.clear(u, v); });
        each_parent(v, fresh, [&](std::uint32_t u) { children_.set(u, v); });
        now_.choice[v] = fresh;
    }
}

void Walker::draw_order(Random& random) {
    const auto n = static_cast<std::uint32_t>(rules_.n);
    children(children_);
    ready_.clear();
    for (std::uint32_t v = 0; v < n; ++v) {
        waiting_[v] = 0;
        each_parent(v, now_.choice[v], [&](std::uint32_t) { ++waiting_[v]; });
        if (waiting_[v] == 0) ready_.push_back(v);
    }
    now_.log_order = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        now_.log_order -= log_integer_[ready_.size()];
        std::uint32_t& drawn = ready_[random.below(static_cast<std::uint32_t>(ready_.size()))];
        const std::uint32_t v = drawn;
        drawn = ready_.back();
        ready_.pop_back();
        now_.order[i] = v;
        now_.place[v] = i;
        children_.each(v, [&](std::uint32_t w) {
            if (--waiting_[w] == 0) ready_.push_back(w);
        });
    }
    find_before(now_);
}

double Walker::score() const {
    double sum = 0;
    for (std::uint32_t v = 0; v < rules_.n; ++v) sum += tables_[v].score[now_.choice[v]];
    return sum;
}

void Walker::children(BitMatrix& out) const {
    out.clear();
    for (std::uint32_t v = 0; v < rules_.n; ++v)
        each_parent(v, now_.choice[v], [&](std::uint32_t u) { out.set(u, v); });
}

Chain::Chain(const FamilyTables& tables, const ArcRules& rules, const std::uint8_t* forbidden, const FoundDag& start,
             Random random)
    : tables_(tables), random_(random), completion_(rules.n, forbidden), children_(rules.n) {
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
    // The Markov blanket: whoever is joined to a node, or has a child with it.
    BitMatrix blanket(n);
    std::vector<std::vector<std::uint32_t>> parents(n);
    for (std::uint32_t a = 0; a < n; ++a)
        children_.each(a, [&](std::uint32_t b) {
            blanket.set(a, b), blanket.set(b, a);
            for (const std::uint32_t c : parents[b]) blanket.set(a, c), blanket.set(c, a);
            parents[b].push_back(a);
        });
    for (std::uint32_t a = 0; a < n; ++a) blanket.each(a, [&](std::uint32_t b) { ++tallies_.blanket[a * n + b]; });
    std::vector<std::uint64_t> reached;
    std::vector<std::uint32_t> stack;
    for (std::uint32_t a = 0; a < n; ++a) {
        children_.reach(a, reached, stack);
        each_member(reached.data(), reached.size(), [&](std::uint32_t b) { tallies_.causes[a * n + b] += b != a; });
    }
    tallies_.dags.push_back(walkers_.front().choice());
}

}  // namespace paucal
