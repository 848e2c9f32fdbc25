#include "graphs/consensus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "errors.hpp"
#include "math/random.hpp"

namespace paucal {
namespace {

using Index = std::uint32_t;

constexpr double kLeastJoined = .02;  // pairs joined less often are never worth an edge
constexpr double kSame = 1e-12;
constexpr double kRounding = 1e-9;  // more than sums in another order differ by
constexpr std::size_t kMostKept = 256;
constexpr std::size_t kMostProven = 64;  // columns: sets of them are words
constexpr std::uint64_t kSeed = 20150;

struct Change {
    Index a, b;
    enum What { add, remove, turn } what;
};

void apply(BitMatrix& children, const Change& change) {
    if (change.what == Change::add) {
        children.set(change.a, change.b);
        return;
    }
    children.clear(change.a, change.b);
    if (change.what == Change::turn) children.set(change.b, change.a);
}

void undo(BitMatrix& children, const Change& change) {
    if (change.what == Change::add) {
        children.clear(change.a, change.b);
        return;
    }
    if (change.what == Change::turn) children.clear(change.b, change.a);
    children.set(change.a, change.b);
}

struct Kept {
    double loss;
    BitMatrix dag, arrows, lines;
};

bool equal(const BitMatrix& a, const BitMatrix& b) {
    for (std::size_t v = 0; v < a.size(); ++v)
        if (!std::equal(a[v], a[v] + a.words(), b[v])) return false;
    return true;
}

class Search {
public:
    Search(const PairProbabilities& p, const ArcRules& rules, const std::uint8_t* forbidden, const ConsensusPlan& plan,
           Watch* watch)
        : n_(rules.n), p_(p), rules_(rules), plan_(plan), watch_(watch), completion_(rules.n, forbidden),
          parents_(rules.n), edge_(rules.n * rules.n) {
        for (Index a = 0; a < n_; ++a)
            for (Index b = a + 1; b < n_; ++b) {
                if (!(1 - absent(a, b) <= kLeastJoined) || must(a, b)) pairs_.push_back({a, b});
                edge_[a * n_ + b] = absent(a, b) - std::max(p_.arrow[a * n_ + b], p_.line[a * n_ + b]);
                edge_[b * n_ + a] = absent(a, b) - std::max(p_.arrow[b * n_ + a], p_.line[a * n_ + b]);
            }
    }

    void improve(BitMatrix dag) {
        double now = look(dag);
        for (;;) {
            changes(dag);
            std::optional<Change> chosen;
            double best = now - kSame;
            for (const Change& change : changes_) {
                if (ended()) return;
                if (!legal(dag, change)) continue;
                apply(dag, change);
                const double loss = look(dag, best);
                undo(dag, change);
                if (loss < best) best = loss, chosen = change;
            }
            if (!chosen) return;
            apply(dag, *chosen);
            now = best;
        }
    }

    void shake() {
        Random random(kSeed, n_);
        looks_ = 0;
        while (looks_ < plan_.looks && !pairs_.empty() && !ended()) {
            ++looks_;  // whatever happens, this ends
            BitMatrix dag = kept_.front().dag;
            walk(dag, random);
            const auto most = static_cast<std::uint32_t>(pairs_.size());
            // Mostly a few changes; now and then so many that little is left of the best.
            for (std::uint32_t left = 1 + random.below(random.below(3) ? 3 : most); left > 0; --left) {
                changes(dag);
                if (changes_.empty()) break;
                const Change change = changes_[random.below(static_cast<std::uint32_t>(changes_.size()))];
                if (legal(dag, change)) apply(dag, change);
            }
            descend(dag, random);
        }
    }

    // Whether no class loses less than the best one met; with a margin, all classes are met that lose less than so much more.
    bool prove(double margin = 0);

    ConsensusFound found(bool proven) {
        ConsensusFound out;
        out.proven = proven;
        for (const Kept& one : kept_)
            if (!(one.loss > kept_.front().loss + plan_.slack)) out.dags.push_back(one.dag), out.losses.push_back(one.loss);
        return out;
    }

private:
    struct Pair {
        Index a, b;
    };
    struct Option {
        double cost;
        int way;  // 0: not joined, 1: a -> b, 2: b -> a
    };
    struct Branch {
        Pair pair;
        std::vector<Option> options;  // the cheapest first
    };

    double absent(Index a, Index b) const { return 1 - p_.arrow[a * n_ + b] - p_.arrow[b * n_ + a] - p_.line[a * n_ + b]; }
    bool ended() { return watch_ && watch_->pulse(); }
    bool must(Index a, Index b) const { return rules_.must(a, b) || rules_.must(b, a); }

    // What the class of a DAG loses at least: its v-structures are arrows, other edges arrows or lines.
    double least_loss(const BitMatrix& dag) {
        parents_.clear();
        for (Index a = 0; a < n_; ++a) dag.each(a, [&](Index b) { parents_.set(b, a); });
        double loss = 0;
        for (Index b = 0; b < n_; ++b)
            parents_.each(b, [&](Index a) {
                bool apart = false;  // some other parent is, from a
                for (std::size_t w = 0; w < dag.words(); ++w) {
                    const std::uint64_t self = w == a / 64 ? std::uint64_t{1} << (a % 64) : 0;
                    apart |= (parents_[b][w] & ~(dag[a][w] | parents_[a][w] | self)) != 0;
                }
                loss += apart ? absent(a, b) - p_.arrow[a * n_ + b] : edge_[a * n_ + b];
            });
        return loss;
    }

    // What the class of a DAG loses; it is kept if it is among the best. If that cannot be and it loses no less than the
    // limit, something between the limit and what it loses.
    double look(const BitMatrix& dag, double limit = std::numeric_limits<double>::infinity()) {
        ++looks_;
        if (!kept_.empty() && limit < std::numeric_limits<double>::infinity()) {
            const double least = least_loss(dag);
            if (least > std::max(limit, kept_.front().loss + plan_.slack) + kRounding) return least;
        }
        completion_.complete(dag);
        const double loss = expected_loss(completion_, n_, p_);
        const bool first = kept_.empty();
        if (first || loss <= kept_.front().loss + plan_.slack) keep(loss, dag);
        return loss;
    }

    void keep(double loss, const BitMatrix& dag) {
        // A class that is no better by more than rounding does not take the first place.
        const bool better = kept_.empty() || loss < kept_.front().loss - kSame;
        if (!better && plan_.slack <= 0) return;
        for (const Kept& one : kept_)
            if (std::abs(one.loss - loss) < 1e-9 && equal(one.arrows, completion_.arrows()) && equal(one.lines, completion_.lines()))
                return;
        Kept fresh{loss, dag, completion_.arrows(), completion_.lines()};
        if (better)
            kept_.insert(kept_.begin(), std::move(fresh));
        else
            kept_.push_back(std::move(fresh));
        const double most = kept_.front().loss + plan_.slack;
        std::erase_if(kept_, [&](const Kept& one) { return one.loss > most; });
        if (kept_.size() > kMostKept) {
            auto worst = kept_.begin() + 1;
            for (auto one = worst; one != kept_.end(); ++one)
                if (one->loss >= worst->loss) worst = one;
            kept_.erase(worst);
        }
    }

    void changes(const BitMatrix& dag) {
        changes_.clear();
        for (const auto& [a, b] : pairs_) {
            const bool there = dag.has(a, b), back = dag.has(b, a);
            if (there || back) {
                const Index from = there ? a : b, to = there ? b : a;
                if (rules_.must(from, to)) continue;
                changes_.push_back({from, to, Change::remove});
                if (rules_.may(to, from)) changes_.push_back({from, to, Change::turn});
            } else {
                if (rules_.may(a, b)) changes_.push_back({a, b, Change::add});
                if (rules_.may(b, a)) changes_.push_back({b, a, Change::add});
            }
        }
    }

    // Whether a change leaves a DAG.
    bool legal(BitMatrix& dag, const Change& change) {
        if (change.what == Change::remove) return true;
        if (change.what == Change::add) return !leads(dag, change.b, change.a);
        dag.clear(change.a, change.b);
        const bool cycle = leads(dag, change.a, change.b);
        dag.set(change.a, change.b);
        return !cycle;
    }

    bool leads(const BitMatrix& dag, Index from, Index to) {
        dag.reach(from, seen_, stack_);
        return (seen_[to / 64] >> (to % 64) & 1) != 0;
    }

    // Takes any change that helps, in a random order, until none does or enough was looked at.
    void descend(BitMatrix& dag, Random& random) {
        double now = look(dag);
        for (bool helped = true; helped && looks_ < plan_.looks;) {
            helped = false;
            changes(dag);
            random.shuffle(changes_);
            for (const Change& change : changes_) {
                if (looks_ >= plan_.looks || ended()) return;
                if (!legal(dag, change)) continue;
                apply(dag, change);
                const double loss = look(dag, now - kSame);
                if (loss < now - kSame) {
                    now = loss, helped = true;
                    break;
                }
                undo(dag, change);
            }
        }
    }

    // Goes to another member of the class by turning arcs a -> b whose ends have the same other parents.
    void walk(BitMatrix& dag, Random& random) {
        BitMatrix parents(n_);
        for (Index a = 0; a < n_; ++a) dag.each(a, [&](Index b) { parents.set(b, a); });
        for (std::size_t step = 0; step < n_; ++step) {
            std::vector<Pair> covered;
            for (Index b = 0; b < n_; ++b)
                parents.each(b, [&](Index a) {
                    if (!rules_.may(b, a) || rules_.must(a, b)) return;
                    for (std::size_t w = 0; w < dag.words(); ++w) {
                        std::uint64_t own = parents[b][w];
                        if (w == a / 64) own &= ~(std::uint64_t{1} << (a % 64));
                        if (own != parents[a][w]) return;
                    }
                    covered.push_back({a, b});
                });
            if (covered.empty()) return;
            const Pair turned = covered[random.below(static_cast<std::uint32_t>(covered.size()))];
            dag.clear(turned.a, turned.b), dag.set(turned.b, turned.a);
            parents.clear(turned.b, turned.a), parents.set(turned.a, turned.b);
        }
    }

    std::vector<Option> options(Index a, Index b) const;
    bool branch(std::size_t k, double cost, const std::array<std::uint64_t, kMostProven>& below, BitMatrix& dag);

    std::size_t n_;
    PairProbabilities p_;
    const ArcRules& rules_;
    ConsensusPlan plan_;
    Watch* watch_;
    Completion completion_;
    BitMatrix parents_;
    std::vector<double> edge_;  // [a * n + b]: what a -> b costs at least, as an arrow or a line
    std::vector<Pair> pairs_;   // those that may be worth an edge
    std::vector<Change> changes_;
    std::vector<Kept> kept_;  // the best first
    std::vector<std::uint64_t> seen_;
    std::vector<Index> stack_;
    std::uint64_t looks_ = 0, nodes_ = 0;
    double margin_ = 0;
    std::vector<Branch> branches_;
    std::vector<double> least_;  // [k]: what the branches from k on cost at least
};

// What can be done with a pair, and what that costs at least.
std::vector<Search::Option> Search::options(Index a, Index b) const {
    std::vector<Option> out;
    const double none = absent(a, b), line = p_.line[a * n_ + b];
    if (!must(a, b)) out.push_back({0, 0});
    if (rules_.must(a, b) || (rules_.may(a, b) && !rules_.must(b, a)))
        out.push_back({none - std::max(p_.arrow[a * n_ + b], line), 1});
    if (rules_.must(b, a) || (rules_.may(b, a) && !rules_.must(a, b)))
        out.push_back({none - std::max(p_.arrow[b * n_ + a], line), 2});
    std::stable_sort(out.begin(), out.end(), [](const Option& x, const Option& y) { return x.cost < y.cost; });
    return out;
}

bool Search::prove(double margin) {
    if (n_ > kMostProven || plan_.nodes == 0) return false;
    margin_ = margin;
    branches_.clear();
    for (Index a = 0; a < n_; ++a)  // all pairs, not only those that are worth a look
        for (Index b = a + 1; b < n_; ++b) {
            std::vector<Option> its = options(a, b);
            if (its.empty() || !std::isfinite(its.front().cost) || !std::isfinite(its.back().cost)) return false;
            if (its.size() > 1 || its.front().way != 0) branches_.push_back({{a, b}, std::move(its)});
        }
    // Pairs whose second choice costs most come first: there most is cut off.
    const auto regret = [](const Branch& one) {
        return one.options.size() > 1 ? one.options[1].cost - one.options[0].cost : 1e300;
    };
    std::stable_sort(branches_.begin(), branches_.end(),
                     [&](const Branch& x, const Branch& y) { return regret(x) > regret(y); });
    least_.assign(branches_.size() + 1, 0);
    for (std::size_t k = branches_.size(); k-- > 0;) least_[k] = least_[k + 1] + branches_[k].options.front().cost;
    nodes_ = 0;
    std::array<std::uint64_t, kMostProven> below{};
    BitMatrix dag(n_);
    return branch(0, 0, below, dag);
}

// Goes through all that can still beat the best; false if that is too much.
bool Search::branch(std::size_t k, double cost, const std::array<std::uint64_t, kMostProven>& below, BitMatrix& dag) {
    if (++nodes_ > plan_.nodes || ended()) return false;
    if (k == branches_.size()) {
        look(dag, kept_.front().loss);
        return true;
    }
    const Branch& here = branches_[k];
    for (const Option& option : here.options) {
        const double after = cost + option.cost;
        if (after + least_[k + 1] >= kept_.front().loss - kSame + margin_) break;
        if (option.way == 0) {
            if (!branch(k + 1, after, below, dag)) return false;
            continue;
        }
        const Index from = option.way == 1 ? here.pair.a : here.pair.b, to = option.way == 1 ? here.pair.b : here.pair.a;
        if (below[to] >> from & 1) continue;
        auto next = below;
        const std::uint64_t more = below[to] | std::uint64_t{1} << to;
        for (Index v = 0; v < n_; ++v)
            if (v == from || (below[v] >> from & 1)) next[v] |= more;
        dag.set(from, to);
        const bool finished = branch(k + 1, after, next, dag);
        dag.clear(from, to);
        if (!finished) return false;
    }
    return true;
}

}  // namespace

ConsensusFound consensus(const std::vector<BitMatrix>& starts, std::span<const double> arrow,
                         std::span<const double> line, const ArcRules& rules, std::span<const std::uint8_t> forbidden,
                         const ConsensusPlan& plan, Watch* watch) {
    const std::size_t size = rules.n * rules.n;
    if (starts.empty()) refuse("a consensus needs at least one start");
    if (arrow.size() != size || line.size() != size || (!forbidden.empty() && forbidden.size() != size))
        refuse("arrow, line and forbidden must be square matrices over the ", rules.n, " columns");
    if (!(plan.slack >= 0 && std::isfinite(plan.slack))) refuse("slack is ", plan.slack, "; it must be a number from 0 on");
    Search search({arrow.data(), line.data()}, rules, forbidden.empty() ? nullptr : forbidden.data(), plan, watch);
    for (const BitMatrix& start : starts) search.improve(start);
    // A proof that succeeds at once saves the shaking; one that is too long may succeed against a better graph.
    bool proven = search.prove();
    if (!proven) {
        search.shake();
        proven = search.prove();
    }
    if (proven && plan.slack > 0) search.prove(plan.slack);
    return search.found(proven);
}

}  // namespace paucal
