// Searches for separating sets: the subsets of a few candidates, in order, until one separates.
#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "ask/tester.hpp"
#include "ask/worker.hpp"
#include "math/bitset.hpp"
#include "share_out.hpp"

namespace paucal {
namespace {

constexpr unsigned kBetweenPulses = 16;  // questions

double choose(std::size_t n, int k) {
    if (k > 0 && static_cast<std::size_t>(k) > n) return 0;
    double value = 1;
    for (int i = 0; i < k; ++i) value *= static_cast<double>(n - static_cast<std::size_t>(i)) / (i + 1);
    return value;
}

double tests_around(const Around& around, int least, int most) {
    double tests = 0;
    const auto always = static_cast<int>(around.always.size()), all = always + static_cast<int>(around.candidates.size());
    for (int k = std::max(least, always); k <= std::min(most, all); ++k)
        tests += static_cast<double>(around.y.size()) * choose(around.candidates.size(), k - always);
    return tests;
}

}  // namespace

std::vector<Index> Around::others(Index y, bool with_always) const {
    std::vector<Index> found;
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(found), [y](Index v) { return v != y; });
    if (with_always) found.insert(found.end(), always.begin(), always.end());
    return found;
}

Separation Tester::separate(Worker& worker, Index x, Index y, const Sets& sets, const Family* family, Tally& tally,
                            const Patience& patience, Index* set) const {
    Separation best;
    const auto& [candidates, order, always] = sets;
    if (static_cast<std::size_t>(order) < always.size() || patience.most_sets == 0) return best;
    const std::size_t k = static_cast<std::size_t>(order) - always.size(), n = candidates.size();
    if (n < k) return best;
    std::uint64_t left = patience.most_sets;
    unsigned asked = 0;
    std::vector<std::size_t>& at = worker.places;
    at.resize(k);
    for (std::size_t i = 0; i < k; ++i) at[i] = i;
    worker.subset.resize(k);
    worker.subset.insert(worker.subset.end(), always.begin(), always.end());
    for (;;) {
        for (std::size_t i = 0; i < k; ++i) worker.subset[i] = candidates[at[i]];
        const Outcome out = answer(worker, x, y, worker.subset, family, tally);
        const bool found = out.decision == Decision::independent;
        if (!best.asked || found || out.nearness > best.outcome.nearness) {
            best.outcome = out;
            std::copy(worker.subset.begin(), worker.subset.end(), set);
        }
        best.asked = true;
        if (found) {
            best.found = true;
            return best;
        }
        std::size_t i = k;
        while (i > 0 && at[i - 1] == n - k + i - 1) --i;
        if (i == 0 || --left == 0) return best;
        if (patience.watch && ++asked % kBetweenPulses == 0) {
            patience.watch->add(kBetweenPulses);
            if (patience.watch->pulse()) return best;
        }
        ++at[i - 1];
        for (std::size_t j = i; j < k; ++j) at[j] = at[j - 1] + 1;
    }
}

const Family* Tester::family_of(Worker& worker, Index owner, const std::vector<Index>& members, double tests) {
    auto& known = families_[owner];
    if (known && known->has(members)) return known->worthwhile ? known.get() : nullptr;
    if (tests < 4 || columns_->rows() < 64) return nullptr;  // merging costs about as much as four tests
    for (const Index v : members)
        if (!(*columns_)[v].bytes || columns_->has_steps(v)) return nullptr;  // rows merged by numbers are hardly fewer
    known = std::make_unique<Family>(worker.counter.merge(members));
    return known->worthwhile ? known.get() : nullptr;
}

Separations Tester::first_separator(Index x, Index y, Indices candidates, int order, Tally& tally,
                                    const Patience& patience) {
    columns_->check_question(x, y, candidates);
    if (order < 0) refuse("order is ", order, "; it must be a number from 0 on");
    const std::lock_guard lock(busy_);
    Worker& worker = *workers(1)[0];
    const Family* family = family_around(worker, x, y, candidates, order);
    worker.keeps = choose(candidates.size(), order) <= Memo::kMost;
    Separations result(1, static_cast<std::size_t>(order) > candidates.size() ? 0 : order);
    result.of[0] = separate(worker, x, y, {candidates, order, {}}, family, tally, patience, result.set(0));
    remember(1);
    return result;
}

// The merged rows of y, its candidates and x, if there are questions enough to pay for them.
const Family* Tester::family_around(Worker& worker, Index x, Index y, Indices candidates, int order) {
    if (order < 2 || candidates.size() < static_cast<std::size_t>(order)) return nullptr;
    std::vector<Index> members(candidates.begin(), candidates.end());
    members.push_back(x);
    members.push_back(y);
    std::sort(members.begin(), members.end());
    return family_of(worker, y, members, choose(candidates.size(), order));
}

Growing Tester::grow(std::span<const Around> around, int least, int most, int threads, const Patience& patience) {
    check_threads(threads);
    if (least < 1) refuse("least is ", least, "; it must be a number from 1 on");
    std::vector<std::uint8_t> met(columns_->size());
    double tests = 0;
    for (const Around& one : around) {
        for (const Index y : one.y) columns_->check_question(one.x, y, one.others(y, true));
        if (!one.y.empty() && std::exchange(met[one.x], std::uint8_t{1})) refuse("column ", one.x, " comes twice");
        tests += tests_around(one, least, most);
    }
    const std::lock_guard lock(busy_);
    threads = useful_threads(threads, tests, columns_->rows());
    auto& pool = workers(threads);
    const bool keeps = tests <= Memo::kMost;
    for (auto& worker : pool) worker->keeps = keeps;
    std::vector<std::vector<Grown>> tried(around.size());
    share_out(around.size(), threads, [&](int t, std::size_t i) {
        tried[i] = grow_around(*pool[static_cast<std::size_t>(t)], around[i], least, most, patience);
    }, patience.watch);

    // Two columns may have asked the same about each other: what is new is found out here, in the order of the columns.
    std::size_t answers = 0;
    for (const auto& worker : pool) answers += worker->answers.size();
    memo_->make_room(answers);
    Growing out;
    for (std::size_t i = 0, first = 0; i < around.size(); first += around[i++].y.size())
        for (Grown& one : tried[i]) {
            const std::size_t k = one.set.size();
            if (k >= out.tallies.size()) out.tallies.resize(k + 1);
            Tally& tally = out.tallies[k];
            if (keeps) {
                tally.calls += one.tally.calls;
                const auto before = tally.fresh;
                for (std::size_t j = one.begin; j < one.end; ++j) {
                    const auto& [key, outcome] = one.worker->answers[j];
                    if (!memo_->find(key)) memo_->insert(key, outcome), tally.add_fresh(outcome);
                }
                one.separation.fresh = tally.fresh > before;
            } else {
                tally.add(one.tally);
                one.separation.fresh = one.tally.fresh > 0;
            }
            out.place.push_back(static_cast<Index>(first + one.place)), out.size.push_back(static_cast<Index>(k));
            out.of.push_back(one.separation);
        }
    out.width = out.tallies.empty() ? 0 : out.tallies.size() - 1;
    out.sets.reserve(out.of.size() * out.width);
    for (const auto& of_one : tried)
        for (const Grown& one : of_one) {
            out.sets.insert(out.sets.end(), one.set.begin(), one.set.end());
            out.sets.insert(out.sets.end(), out.width - one.set.size(), 0);
        }
    for (auto& worker : pool) worker->answers.clear(), worker->keeps = true;
    return out;
}

std::vector<Tester::Grown> Tester::grow_around(Worker& worker, const Around& around, int least, int most,
                                               const Patience& patience) {
    const auto& [x, ys, candidates, always] = around;
    const Family* family = nullptr;
    if (const double tests = tests_around(around, std::max(least, 2), most); tests > 0) {
        std::vector<Index> members(ys);
        members.insert(members.end(), candidates.begin(), candidates.end());
        members.insert(members.end(), always.begin(), always.end());
        members.push_back(x);
        std::sort(members.begin(), members.end());
        members.erase(std::unique(members.begin(), members.end()), members.end());
        // merging reads every member once, so there have to be as many tests
        if (tests >= static_cast<double>(members.size())) family = family_of(worker, x, members, tests);
    }
    std::vector<Grown> tried;
    for (std::size_t i = 0; i < ys.size(); ++i) {
        const std::vector<Index> others = around.others(ys[i], false);
        const int all = static_cast<int>(others.size() + always.size());
        for (int k = least; k <= std::min(most, all); ++k) {
            if (patience.watch && patience.watch->pulse()) return tried;
            Grown one{i, {}, std::vector<Index>(static_cast<std::size_t>(k)), {}, &worker, worker.answers.size(), 0};
            one.separation =
                separate(worker, x, ys[i], {others, k, always}, family, one.tally, patience, one.set.data());
            one.end = worker.answers.size();
            if (!one.separation.asked) continue;
            tried.push_back(std::move(one));
            if (tried.back().separation.found) break;
        }
    }
    return tried;
}

void Tester::check_pairs(const Pairs& pairs, int order) const {
    const auto& [x, y, owner, adjacency] = pairs;
    const std::size_t p = columns_->size();
    if (y.size() != x.size() || (!owner.empty() && owner.size() != x.size())) refuse("x, y and owner differ in length");
    if (adjacency.size() != p * p) refuse("adjacency must be a square matrix over the ", p, " columns");
    check_range("order", order, 0, static_cast<int>(p));
    columns_->check_questions(x, y, {}, 0);
    for (const Index o : owner)
        if (o >= p) throw std::out_of_range(say("there is no column ", o, "; the data have ", p));
}

Separations Tester::thin(const Pairs& pairs, int order, Tally& tally, const Patience& patience) {
    const auto& [x, y, owner, adjacency] = pairs;
    if (owner.size() != x.size()) refuse("x, y and owner differ in length");
    check_pairs(pairs, order);
    const std::size_t p = columns_->size();
    const std::lock_guard lock(busy_);
    Worker& worker = *workers(1)[0];
    BitMatrix apart(p);
    std::vector<Index> candidates;
    Separations out(x.size(), order);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (apart.has(x[i], y[i])) continue;
        if (patience.watch && patience.watch->pulse()) break;
        candidates.clear();
        for (Index v = 0; v < p; ++v)
            if (adjacency[owner[i] * p + v] && v != x[i] && v != y[i] && !apart.has(owner[i], v)) candidates.push_back(v);
        const Family* family = family_around(worker, x[i], y[i], candidates, order);
        worker.keeps = choose(candidates.size(), order) <= Memo::kMost;
        const auto before = tally.fresh;
        out.of[i] = separate(worker, x[i], y[i], {candidates, order, {}}, family, tally, patience, out.set(i));
        out.of[i].fresh = tally.fresh > before;
        remember(1);
        if (out.of[i].found) apart.set(x[i], y[i]), apart.set(y[i], x[i]);
    }
    return out;
}

Tester::Rounds Tester::rounds(Indices x, Indices y, std::span<const std::uint8_t> adjacency, int last, double few_sets,
                              int threads, const Patience& patience) {
    check_pairs({x, y, {}, adjacency}, 0);
    check_threads(threads);
    const std::size_t p = columns_->size();
    const std::lock_guard lock(busy_);
    std::vector<std::uint8_t> joined(adjacency.begin(), adjacency.end());
    std::vector<Index> a(x.begin(), x.end()), b(y.begin(), y.end());
    Rounds out;
    for (int order = 0; order <= last; ++order) {
        std::size_t degree = 0;
        for (auto row = joined.begin(); row != joined.end(); row += static_cast<std::ptrdiff_t>(p))
            degree = std::max(degree, p - static_cast<std::size_t>(std::count(row, row + static_cast<std::ptrdiff_t>(p), 0)));
        if (degree < static_cast<std::size_t>(order)) break;
        out.finished = 2. * static_cast<double>(a.size()) * choose(degree, order) <= few_sets;
        if (!out.finished) break;
        Round round{a, b, {0, 0}, {}};
        round.found = searched({a, b, {}, joined}, order, threads, round.tally, patience);
        if (round.tally.calls == 0) break;
        std::size_t left = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (round.found.of[i].found)
                joined[a[i] * p + b[i]] = joined[b[i] * p + a[i]] = 0;
            else
                a[left] = a[i], b[left] = b[i], ++left;
        a.resize(left), b.resize(left);
        out.done.push_back(std::move(round));
        out.finished = !(patience.watch && patience.watch->stopped());
        if (!out.finished) break;
    }
    return out;
}

Separations Tester::search(const Pairs& pairs, int order, int threads, Tally& tally,
                                       const Patience& patience) {
    check_pairs(pairs, order);
    check_threads(threads);
    const std::lock_guard lock(busy_);
    return searched(pairs, order, threads, tally, patience);
}

Separations Tester::searched(const Pairs& pairs, int order, int threads, Tally& tally,
                                         const Patience& patience) {
    const auto& [x, y, owner, adjacency] = pairs;
    const std::size_t n = x.size(), p = columns_->size();
    Separations out(n, order);
    if (!owner.empty() || order == 0) {
        search_around(pairs, order, threads, out, tally, patience);
        return out;
    }
    search_around({x, y, x, adjacency}, order, threads, out, tally, patience);
    if (patience.watch && patience.watch->stopped()) return out;
    std::vector<std::size_t> rest;
    std::vector<Index> ends, others;
    for (std::size_t i = 0; i < n; ++i) {
        if (out.of[i].found) continue;
        const std::uint8_t *a = adjacency.data() + x[i] * p, *b = adjacency.data() + y[i] * p;
        bool same = true;
        for (std::size_t v = 0; v < p && same; ++v) same = !a[v] == !b[v] || v == x[i] || v == y[i];
        if (same) continue;  // the other end has nothing new to say
        rest.push_back(i);
        ends.push_back(y[i]);
        others.push_back(x[i]);
    }
    Separations second(rest.size(), order);
    search_around({ends, others, ends, adjacency}, order, threads, second, tally, patience);
    for (std::size_t k = 0; k < rest.size(); ++k) {
        Separation& first = out.of[rest[k]];
        const Separation& other = second.of[k];
        if (!other.found && !(other.asked && (!first.asked || other.outcome.nearness > first.outcome.nearness))) continue;
        first = other;
        std::copy_n(second.set(k), order, out.set(rest[k]));
    }
    return out;
}

void Tester::search_around(const Pairs& pairs, int order, int threads, Separations& out, Tally& tally,
                           const Patience& patience) {
    const std::size_t n = pairs.x.size(), p = columns_->size();
    if (order == 0) {
        threads = useful_threads(threads, static_cast<double>(n), columns_->rows());
        auto& pool = workers(threads);
        std::vector<Tally> tallies(static_cast<std::size_t>(threads));
        constexpr std::size_t kChunk = 256;
        share_out((n + kChunk - 1) / kChunk, threads, [&](int t, std::size_t chunk) {
            const auto thread = static_cast<std::size_t>(t);
            if (patience.most_sets == 0) return;
            for (std::size_t i = chunk * kChunk; i < std::min(n, (chunk + 1) * kChunk); ++i) {
                Separation& one = out.of[i];
                one.outcome = answer(*pool[thread], pairs.x[i], pairs.y[i], {}, nullptr, tallies[thread]);
                one.found = one.outcome.decision == Decision::independent;
                one.asked = true;
            }
            if (patience.watch) patience.watch->add(kChunk), patience.watch->pulse();
        }, patience.watch);
        for (const Tally& t : tallies) tally.add(t);
        return remember(threads);
    }

    // Entries of one owner are one piece of work: they share its neighbours and its merged rows.
    std::vector<std::vector<std::size_t>> entries(p);
    std::vector<Index> owners;
    for (std::size_t i = 0; i < n; ++i) {
        if (entries[pairs.owner[i]].empty()) owners.push_back(pairs.owner[i]);
        entries[pairs.owner[i]].push_back(i);
    }
    double tests = 0;
    for (const Index o : owners) {
        const auto row = pairs.adjacency.subspan(o * p, p);
        const auto degree =
            static_cast<std::size_t>(std::count_if(row.begin(), row.end(), [](std::uint8_t edge) { return edge != 0; }));
        if (degree > static_cast<std::size_t>(order))
            tests += static_cast<double>(entries[o].size()) * choose(degree - 1, order);
    }
    threads = useful_threads(threads, tests, columns_->rows());
    auto& pool = workers(threads);
    for (auto& worker : pool) worker->keeps = tests <= Memo::kMost;
    std::vector<Tally> tallies(static_cast<std::size_t>(threads));
    share_out(owners.size(), threads, [&](int t, std::size_t index) {
        const auto thread = static_cast<std::size_t>(t);
        search_owner(*pool[thread], owners[index], entries[owners[index]], pairs, order, out, tallies[thread], patience);
    }, patience.watch);
    for (const Tally& t : tallies) tally.add(t);
    remember(threads);
}

void Tester::search_owner(Worker& worker, Index owner, const std::vector<std::size_t>& entries, const Pairs& pairs,
                          int order, Separations& out, Tally& tally, const Patience& patience) {
    const std::size_t p = columns_->size();
    std::vector<Index> neighbours, candidates;
    for (Index v = 0; v < p; ++v)
        if (pairs.adjacency[owner * p + v] && v != owner) neighbours.push_back(v);
    const Family* family = nullptr;
    if (order >= 2 && neighbours.size() > static_cast<std::size_t>(order)) {
        std::vector<Index> members(neighbours);
        members.push_back(owner);
        for (const std::size_t i : entries) {
            members.push_back(pairs.x[i]);
            members.push_back(pairs.y[i]);
        }
        std::sort(members.begin(), members.end());
        members.erase(std::unique(members.begin(), members.end()), members.end());
        family = family_of(worker, owner, members,
                           static_cast<double>(entries.size()) * choose(neighbours.size() - 1, order));
    }
    for (const std::size_t i : entries) {
        candidates.clear();
        for (const Index v : neighbours)
            if (v != pairs.x[i] && v != pairs.y[i]) candidates.push_back(v);
        if (patience.watch && patience.watch->pulse()) return;
        out.of[i] =
            separate(worker, pairs.x[i], pairs.y[i], {candidates, order, {}}, family, tally, patience, out.set(i));
    }
}

}  // namespace paucal
