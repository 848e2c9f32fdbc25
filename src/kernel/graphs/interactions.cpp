#include "graphs/interactions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "isa/isa.hpp"

namespace paucal {
namespace {

using Set = std::vector<std::uint32_t>;

constexpr double kTripleSeconds = 10;       // about; triples that would take longer are not scanned
constexpr double kParityWords = 1.5e8;      // exclusive ors in all
constexpr double kNearly = 3;               // a pair that pays but for so much is kept where neither parent pays alone
constexpr std::size_t kLeastParity = 4, kMostParity = 8;
constexpr std::size_t kParitiesPerColumn = 32;  // that are looked at more closely
constexpr double kStandardErrors = 5;       // beyond what chance gives the best of a million sets

struct Found {
    double gain;
    std::uint32_t child;
    Set parents;
};

void by_gain(std::vector<Found>& found) {
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        if (a.gain != b.gain) return a.gain > b.gain;
        return a.parents != b.parents ? a.parents < b.parents : a.child < b.child;
    });
}

double choose(double n, std::size_t k) {
    double value = 1;
    for (std::size_t i = 0; i < k; ++i) value *= (n - static_cast<double>(i)) / (static_cast<double>(i) + 1);
    return std::max(value, 0.);
}

bool varies(const Column* cells) { return !cells || cells->observed > 1; }

bool may_all(const ArcRules& rules, const Set& parents, std::uint32_t child) {
    return std::all_of(parents.begin(), parents.end(), [&](std::uint32_t u) { return rules.may(u, child); });
}

// The pairs of parents that gain more together than they do alone, or nearly pay where neither does alone.
void scan_triples(Scorer& scorer, const ArcRules& rules, std::vector<Found>& found, Watch* watch) {
    Set columns;
    for (std::uint32_t v = 0; v < rules.n; ++v)
        if (varies(scorer.cells(v))) columns.push_back(v);
    const std::size_t n = columns.size();
    const double seconds = 1.5e-6 + .7e-9 * static_cast<double>(scorer.samples());
    if (choose(static_cast<double>(n), 3) * seconds > kTripleSeconds) return;
    std::vector<double> one(n), two(n * n);
    for (std::size_t i = 0; i < n; ++i) one[i] = scorer.set(&columns[i], 1);
    for (std::size_t i = 0; i < n; ++i) {
        if (watch && watch->pulse()) return;
        for (std::size_t j = 0; j < i; ++j) {
            const std::uint32_t pair[] = {columns[j], columns[i]};
            two[i * n + j] = two[j * n + i] = scorer.set(pair, 2);
        }
    }
    const auto alone = [&](std::size_t child, std::size_t parent) {
        return std::max(0., two[child * n + parent] - one[parent] - one[child] - rules.penalty);
    };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (watch && watch->pulse()) return;
            for (std::size_t k = 0; k < j; ++k) {
                const std::uint32_t members[] = {columns[k], columns[j], columns[i]};
                const double three = scorer.set_unremembered(members, 3);
                const std::size_t at[] = {i, j, k};
                for (int c = 0; c < 3; ++c) {
                    const std::size_t v = at[c], a = at[(c + 1) % 3], b = at[(c + 2) % 3];
                    const double gain = three - two[a * n + b] - one[v] - 2 * rules.penalty;
                    if (gain <= -kNearly) continue;
                    const double singly = alone(v, a) + alone(v, b), more = gain - singly;
                    Set parents{columns[std::min(a, b)], columns[std::max(a, b)]};
                    if ((more > 0 || singly == 0) && may_all(rules, parents, columns[v]))
                        found.push_back({more, columns[v], std::move(parents)});
                }
            }
        }
}

// Parities of many columns with two levels. A mean parity is that of +1 and -1.
class ParityScan {
public:
    ParityScan(const Scorer& scorer, Watch* watch)
        : watch_(watch), words_(scorer.words()), rows_(static_cast<double>(scorer.samples())) {
        if (scorer.weights()) split_weights(scorer.weights(), scorer.rows());
        for (std::uint32_t v = 0; v < scorer.size(); ++v) {
            const Column* cells = scorer.cells(v);
            if (!cells || !cells->bits || cells->observed != 2) continue;
            const Column& column = *cells;
            std::uint32_t state = 0;
            while (column.margin[state] == 0) ++state;
            const std::uint64_t* bits = column.bits + state * words_;
            members_.push_back(v);
            bits_.insert(bits_.end(), bits, bits + words_);
            mean_.push_back((rows_ - 2. * column.margin[state]) / rows_);
        }
        double work = 0;
        const auto words = static_cast<double>((scorer.samples() + 255) / 256 * 4);  // the same sets, weighted or not
        for (std::size_t size = kLeastParity; size <= kMostParity; ++size) {
            work += choose(static_cast<double>(members_.size()), size) * words;
            if (work <= kParityWords) most_ = size;
        }
        odd_.resize(members_.size() * (kMostParity + 1));
        parity_.resize(words_ * (kMostParity + 1));
        keep_ = kParitiesPerColumn * members_.size();
    }

    // Sets of columns whose parity no split explains, those furthest from chance first.
    std::vector<Set> run() {
        if (most_ == 0 || members_.size() < kLeastParity) return {};
        std::fill_n(parity_.begin(), words_, 0);
        extend(0, 0, 1);
        std::sort(kept_.begin(), kept_.end(), further);
        if (kept_.size() > keep_) kept_.resize(keep_);
        std::vector<Set> out;
        for (const Kept& one : kept_)
            if (!(watch_ && watch_->pulse()) && unexplained(one)) {
                Set set;
                for (const std::uint8_t i : one.places) set.push_back(members_[i]);
                out.push_back(std::move(set));
            }
        return out;
    }

private:
    struct Kept {
        double apart;
        std::vector<std::uint8_t> places;  // at most 256 columns can be afforded at all
    };
    static bool further(const Kept& a, const Kept& b) { return a.apart != b.apart ? a.apart > b.apart : a.places < b.places; }

    void extend(std::size_t size, std::size_t from, double mean) {
        std::uint64_t* parity = parity_.data() + size * words_;
        if (size + 1 >= kLeastParity) {
            std::uint32_t* odd = odd_.data() + size * members_.size();
            odd_counts(parity, bits_.data() + from * words_, members_.size() - from, odd);
            for (std::size_t i = from; i < members_.size(); ++i) {
                const double apart = std::fabs((rows_ - 2. * odd[i - from]) / rows_ - mean * mean_[i]);
                if (apart * std::sqrt(rows_) > kStandardErrors && apart > least_) keep(apart, i);
            }
        }
        if (size + 1 >= most_) return;
        for (std::size_t i = from; i < members_.size(); ++i) {
            if (watch_ && watch_->pulse()) return;
            const std::uint64_t* bits = bits_.data() + i * words_;
            for (std::size_t w = 0; w < words_; ++w) parity[words_ + w] = parity[w] ^ bits[w];
            places_.push_back(static_cast<std::uint8_t>(i));
            extend(size + 1, i + 1, mean * mean_[i]);
            places_.pop_back();
        }
    }

    void keep(double apart, std::size_t last) {
        kept_.push_back({apart, places_});
        kept_.back().places.push_back(static_cast<std::uint8_t>(last));
        if (kept_.size() < 2 * keep_) return;
        std::nth_element(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(keep_), kept_.end(), further);
        kept_.resize(keep_);
        least_ = std::min_element(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) { return a.apart < b.apart; })->apart;
    }

    double mean_parity(const std::vector<std::uint8_t>& places, unsigned mask) {
        std::uint64_t* parity = parity_.data();
        std::fill_n(parity, words_, 0);
        for (std::size_t i = 0; i < places.size(); ++i)
            if (mask >> i & 1)
                for (std::size_t w = 0; w < words_; ++w) parity[w] ^= bits_[places[i] * words_ + w];
        std::uint32_t odd;
        odd_counts(parity, zero(), 1, &odd);
        return (rows_ - 2. * odd) / rows_;
    }

    bool unexplained(const Kept& one) {
        const unsigned all = (1u << one.places.size()) - 1;
        const double whole = std::fabs(mean_parity(one.places, all));
        for (unsigned mask = 1; mask < all; mask += 2) {  // the first column stands on one side
            const double split = std::fabs(mean_parity(one.places, mask) * mean_parity(one.places, all ^ mask));
            if ((whole - split) * std::sqrt(rows_) <= kStandardErrors) return false;
        }
        return true;
    }

    // Bitsets of the rows whose weight has a certain binary digit.
    void split_weights(const std::uint32_t* weights, std::size_t rows) {
        const auto digits = static_cast<std::size_t>(std::bit_width(*std::max_element(weights, weights + rows)));
        digits_.assign(digits * words_, 0);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::uint32_t rest = weights[r]; rest; rest &= rest - 1)
                digits_[static_cast<std::size_t>(std::countr_zero(rest)) * words_ + r / 64] |= std::uint64_t{1} << (r % 64);
    }

    void odd_counts(const std::uint64_t* set, const std::uint64_t* sets, std::size_t n, std::uint32_t* out) const {
        if (digits_.empty()) return hot().counts.odd_counts(set, sets, n, words_, out);
        for (std::size_t i = 0; i < n; ++i, sets += words_) {
            std::uint64_t samples = 0;
            const std::uint64_t* digit = digits_.data();
            for (int power = 0; digit != digits_.data() + digits_.size(); ++power, digit += words_) {
                std::uint64_t ones = 0;
                for (std::size_t w = 0; w < words_; ++w)
                    ones += static_cast<std::uint64_t>(std::popcount((set[w] ^ sets[w]) & digit[w]));
                samples += ones << power;
            }
            out[i] = static_cast<std::uint32_t>(samples);
        }
    }

    const std::uint64_t* zero() {
        zero_.resize(words_);
        return zero_.data();
    }

    Watch* watch_;
    std::size_t words_, most_ = 0, keep_ = 0;
    double rows_, least_ = 0;
    Set members_;
    std::vector<std::uint64_t> bits_, parity_, zero_, digits_;
    std::vector<double> mean_;
    std::vector<std::uint32_t> odd_;
    std::vector<std::uint8_t> places_;
    std::vector<Kept> kept_;
};

// A set of columns as the family of each of its members, where every parent pays.
void judge(PenalisedScores& score, const Set& set, std::vector<Found>& found) {
    for (const std::uint32_t child : set) {
        Set parents;
        for (const std::uint32_t v : set)
            if (v != child) parents.push_back(v);
        if (!may_all(score.rules(), parents, child)) continue;
        const double all = score(child, parents);
        double rival = score(child, {});
        for (std::size_t i = 0; i < parents.size() && rival < all; ++i) {
            Set fewer(parents);
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            rival = std::max(rival, score(child, fewer));
        }
        if (all > rival) found.push_back({all - rival, child, std::move(parents)});
    }
}

// Pairs that help, or nearly do, where neither does alone may be what shows of three that help together: the third that
// gains most.
void complete_pairs(PenalisedScores& score, std::vector<Found>& found, std::size_t most, Watch* watch) {
    const ArcRules& rules = score.rules();
    by_gain(found);
    std::vector<std::size_t> taken(rules.n);
    std::set<Set> seen;
    for (std::size_t i = 0, pairs = found.size(); i < pairs; ++i) {
        if (watch && watch->pulse()) return;
        const std::uint32_t child = found[i].child;
        if (taken[child]++ >= most) continue;
        const Set pair = found[i].parents;
        double best = score(child, pair);
        Set completed;
        for (std::uint32_t u = 0; u < rules.n; ++u) {
            if (!rules.may(u, child) || std::binary_search(pair.begin(), pair.end(), u)) continue;
            Set three(pair);
            three.insert(std::lower_bound(three.begin(), three.end(), u), u);
            const double its = score(child, three);
            if (its > best) best = its, completed = std::move(three);
        }
        if (completed.empty()) continue;
        completed.insert(std::lower_bound(completed.begin(), completed.end(), child), child);
        if (seen.insert(completed).second) judge(score, completed, found);
    }
}

}  // namespace

std::vector<ParentGroups> joint_parents(Scorer& scorer, const ArcRules& rules, std::size_t most, Watch* watch) {
    std::vector<ParentGroups> out(rules.n);
    if (!scorer.of_sets()) return out;
    std::vector<Found> found;
    scan_triples(scorer, rules, found, watch);
    PenalisedScores score(scorer, rules);
    complete_pairs(score, found, most, watch);
    for (const Set& set : ParityScan(scorer, watch).run()) judge(score, set, found);
    by_gain(found);
    for (Found& one : found)
        if (out[one.child].size() < most) out[one.child].push_back(std::move(one.parents));
    return out;
}

}  // namespace paucal
