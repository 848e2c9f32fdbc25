#include "ask/tester.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "ask/memo.hpp"

namespace paucal {
namespace {

double choose(std::size_t n, int k) {
    double value = 1;
    for (int i = 0; i < k; ++i) value *= static_cast<double>(n - static_cast<std::size_t>(i)) / (i + 1);
    return value;
}

}  // namespace

// What one thread owns: its counting workspace and the answers it has yet to hand to the memo. The memo itself does
// not change while threads run, so what they find in it cannot depend on their number.
struct Tester::Worker {
    explicit Worker(const Columns& columns) : counter(columns) {}
    Counter counter;

    Question canonical(std::uint32_t x, std::uint32_t y, const std::uint32_t* given, int order) {
        z.resize(static_cast<std::size_t>(order));
        for (std::size_t i = 0; i < z.size(); ++i) {  // by insertion: there are few
            std::size_t at = i;
            for (; at > 0 && z[at - 1] > given[i]; --at) z[at] = z[at - 1];
            z[at] = given[i];
        }
        return {std::min(x, y), std::max(x, y), z.data(), order};
    }

    std::vector<std::uint32_t> z, subset;
    std::vector<std::pair<Key, Outcome>> answers;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> asked;
};

Tester::Tester(std::shared_ptr<const Columns> columns, std::shared_ptr<const Statistic> statistic, ThinRule rule)
    : columns_(std::move(columns)),
      statistic_(std::move(statistic)),
      rule_(rule),
      memo_(std::make_unique<Memo>(columns_->size())),
      families_(columns_->size()) {}

Tester::~Tester() = default;

Outcome Tester::evaluate(Worker& worker, const Question& q, const Family* family) const {
    const bool constant = (*columns_)[q.x].observed <= 1 || (*columns_)[q.y].observed <= 1;
    return judge(constant ? nullptr : &worker.counter.count(q, family), q.order);
}

// No counts: a variable is constant, and that is decided before any formula is.
Outcome Tester::judge(Counts* counts, int order) const {
    Outcome out;
    out.order = static_cast<std::uint8_t>(order);
    if (!counts) {
        out.flags = kConstant | kNoInformation;
        statistic_->neutral(out);
        out.decision = Decision::independent;
        return out;
    }
    statistic_->evaluate(*counts, out);
    if (out.strata < counts->configurations) out.flags |= kEmptyStrata;
    const double cells = counts->configurations * counts->kx * counts->ky;
    const double units = rule_.per_dof ? out.dof : cells;
    if (counts->total < rule_.least * units) {
        out.flags |= kThin;
        if (rule_.sparse == Sparse::independent) out.decision = Decision::independent;
        if (rule_.sparse == Sparse::undecidable) out.decision = Decision::undecidable;
    }
    return out;
}

double Tester::smallest_p(std::uint32_t x, std::uint32_t y, const std::uint32_t* z, int order) {
    if ((*columns_)[x].observed <= 1 || (*columns_)[y].observed <= 1) return 1;
    Worker& worker = *workers(1)[0];
    return statistic_->smallest_p(worker.counter.count(worker.canonical(x, y, z, order)));
}

void Tester::read(std::size_t n, const std::uint32_t* tables, const Shape& shape, Outcomes& out) const {
    Counts counts;
    counts.kx = shape.kx, counts.ky = shape.ky, counts.order = shape.order, counts.strata = shape.strata;
    counts.configurations = static_cast<double>(shape.strata);
    const std::size_t cells = shape.strata * shape.kx * shape.ky;
    std::vector<std::uint8_t> row(shape.kx), column(shape.ky);
    for (std::size_t t = 0; t < n; ++t, tables += cells) {
        counts.cells = tables;
        counts.total = 0;
        std::fill(row.begin(), row.end(), 0);
        std::fill(column.begin(), column.end(), 0);
        const std::uint32_t* cell = tables;
        for (std::size_t s = 0; s < shape.strata; ++s)
            for (std::uint32_t i = 0; i < shape.kx; ++i)
                for (std::uint32_t j = 0; j < shape.ky; ++j) {
                    const std::uint32_t n = *cell++;
                    counts.total += n;
                    row[i] |= n > 0, column[j] |= n > 0;
                }
        const bool constant = std::count(row.begin(), row.end(), 1) < 2 || std::count(column.begin(), column.end(), 1) < 2;
        out.put(t, judge(constant ? nullptr : &counts, shape.order));
    }
}

// One question, asked in any order of its variables; the memo is read here and written in remember().
Outcome Tester::answer(Worker& worker, std::uint32_t x, std::uint32_t y, const std::uint32_t* z, int order,
                       const Family* family, Tally& tally) const {
    const Question q = worker.canonical(x, y, z, order);
    ++tally.calls;
    Key key{};
    bool fresh;
    if (order == 0) {
        fresh = !memo_->was_asked(q);
    } else {
        key = key_of(q);
        if (const Outcome* known = memo_->find(key)) return *known;
        fresh = true;
    }
    const Outcome out = evaluate(worker, q, family);
    if (fresh) {
        tally.add_fresh(out);
        if (order == 0)
            worker.asked.emplace_back(q.x, q.y);
        else
            worker.answers.emplace_back(key, out);
    }
    return out;
}

void Tester::remember(int threads) {
    for (int t = 0; t < threads; ++t) {
        Worker& worker = *workers_[static_cast<std::size_t>(t)];
        for (const auto& [key, outcome] : worker.answers) memo_->insert(key, outcome);
        for (const auto& [x, y] : worker.asked) memo_->set_asked({x, y, nullptr, 0});
        worker.answers.clear();
        worker.asked.clear();
    }
}

std::vector<std::unique_ptr<Tester::Worker>>& Tester::workers(int threads) {
    while (workers_.size() < static_cast<std::size_t>(threads)) workers_.push_back(std::make_unique<Worker>(*columns_));
    return workers_;
}

namespace {

// Hands out work by index; `work(thread, index)` must not depend on who does it or when.
template <class F> void share_out(std::size_t n, int threads, F&& work) {
    if (threads <= 1) {
        for (std::size_t i = 0; i < n; ++i) work(0, i);
        return;
    }
    std::atomic<std::size_t> next{0};
    const auto run = [&](int thread) {
        for (std::size_t i; (i = next.fetch_add(1)) < n;) work(thread, i);
    };
    std::vector<std::thread> pool;
    for (int t = 1; t < threads; ++t) pool.emplace_back(run, t);
    run(0);
    for (auto& thread : pool) thread.join();
}

// Starting a thread costs some twenty microseconds: small jobs stay on one.
int useful_threads(int threads, double tests, std::size_t rows) {
    const double microseconds = tests * (.1 + 5e-4 * static_cast<double>(rows));
    return microseconds < 1000 ? 1 : threads;
}

}  // namespace

Outcome Tester::ask(std::uint32_t x, std::uint32_t y, const std::uint32_t* z, int order, Tally& tally) {
    const Outcome out = answer(*workers(1)[0], x, y, z, order, nullptr, tally);
    remember(1);
    return out;
}

void Tester::ask_many(std::size_t n, const std::uint32_t* x, const std::uint32_t* y, const std::uint32_t* z, int order,
                      int threads, Outcomes& out, Tally& tally) {
    threads = useful_threads(threads, static_cast<double>(n), columns_->rows());
    auto& pool = workers(threads);
    // In rounds, so that answers are still in the cache when they are handed over; threads start only once.
    constexpr std::size_t kChunk = 64, kRound = 1024;
    const std::size_t round = threads > 1 ? n : std::min(n, kRound);
    std::vector<Key> keys(order == 0 ? 0 : round);
    std::vector<Outcome> answers(round);
    tally.calls += n;
    for (std::size_t start = 0; start < n; start += round) {
        const std::size_t length = std::min(round, n - start);
        share_out((length + kChunk - 1) / kChunk, threads, [&](int t, std::size_t chunk) {
            Worker& worker = *pool[static_cast<std::size_t>(t)];
            for (std::size_t i = chunk * kChunk; i < std::min(length, (chunk + 1) * kChunk); ++i) {
                const std::size_t k = start + i;
                const Question q = worker.canonical(x[k], y[k], z + k * static_cast<std::size_t>(order), order);
                const Outcome* known = nullptr;
                if (order > 0) known = memo_->find(keys[i] = key_of(q));
                answers[i] = known ? *known : evaluate(worker, q, nullptr);
            }
        });
        // A batch may repeat itself; what is new is found out afterwards, in the order of the questions.
        for (std::size_t i = 0; i < length; ++i) {
            const std::size_t k = start + i;
            out.put(k, answers[i]);
            if (order == 0) {
                const Question q{std::min(x[k], y[k]), std::max(x[k], y[k]), nullptr, 0};
                if (memo_->was_asked(q)) continue;
                memo_->set_asked(q);
            } else {
                if (memo_->find(keys[i])) continue;
                memo_->insert(keys[i], answers[i]);
            }
            tally.add_fresh(answers[i]);
        }
    }
}

Separation Tester::separate(Worker& worker, std::uint32_t x, std::uint32_t y,
                            const std::vector<std::uint32_t>& candidates, int order, const Family* family,
                            Tally& tally) const {
    Separation best;
    const auto k = static_cast<std::size_t>(order), n = candidates.size();
    if (n < k) return best;
    std::vector<std::size_t> at(k);
    for (std::size_t i = 0; i < k; ++i) at[i] = i;
    worker.subset.resize(k);
    for (;;) {
        for (std::size_t i = 0; i < k; ++i) worker.subset[i] = candidates[at[i]];
        const Outcome out = answer(worker, x, y, worker.subset.data(), order, family, tally);
        const bool found = out.decision == Decision::independent;
        if (!best.asked || found || out.nearness > best.outcome.nearness) {
            best.outcome = out;
            best.set.assign(worker.subset.begin(), worker.subset.end());
        }
        best.asked = true;
        if (found) {
            best.found = true;
            return best;
        }
        std::size_t i = k;
        while (i > 0 && at[i - 1] == n - k + i - 1) --i;
        if (i == 0) return best;
        ++at[i - 1];
        for (std::size_t j = i; j < k; ++j) at[j] = at[j - 1] + 1;
    }
}

const Family* Tester::family_of(Worker& worker, std::uint32_t owner, const std::vector<std::uint32_t>& members,
                                double tests) {
    auto& known = families_[owner];
    if (known && std::includes(known->members.begin(), known->members.end(), members.begin(), members.end()))
        return known->worthwhile ? known.get() : nullptr;
    if (tests < 4 || columns_->rows() < 64) return nullptr;  // merging costs about as much as four tests
    for (const std::uint32_t v : members)
        if (!(*columns_)[v].bytes) return nullptr;
    known = std::make_unique<Family>(worker.counter.merge(members));
    return known->worthwhile ? known.get() : nullptr;
}

Separation Tester::first_separator(std::uint32_t x, std::uint32_t y, const std::vector<std::uint32_t>& candidates,
                                   int order, Tally& tally) {
    Worker& worker = *workers(1)[0];
    const Family* family = nullptr;
    if (order >= 2 && candidates.size() >= static_cast<std::size_t>(order)) {
        std::vector<std::uint32_t> members(candidates);
        members.push_back(x);
        members.push_back(y);
        std::sort(members.begin(), members.end());
        family = family_of(worker, y, members, choose(candidates.size(), order));
    }
    Separation result = separate(worker, x, y, candidates, order, family, tally);
    remember(1);
    return result;
}

void Tester::search(std::size_t n, const std::uint32_t* x, const std::uint32_t* y, const std::uint32_t* owner,
                    const std::uint8_t* adjacency, int order, int threads, Separation* out, Tally& tally) {
    if (owner || order == 0) return search_around(n, x, y, owner, adjacency, order, threads, out, tally);
    search_around(n, x, y, x, adjacency, order, threads, out, tally);
    const std::size_t p = columns_->size();
    std::vector<std::size_t> rest;
    std::vector<std::uint32_t> ends, others;
    for (std::size_t i = 0; i < n; ++i) {
        if (out[i].found) continue;
        const std::uint8_t *a = adjacency + x[i] * p, *b = adjacency + y[i] * p;
        bool same = true;
        for (std::size_t v = 0; v < p && same; ++v) same = !a[v] == !b[v] || v == x[i] || v == y[i];
        if (same) continue;  // the other end has nothing new to say
        rest.push_back(i);
        ends.push_back(y[i]);
        others.push_back(x[i]);
    }
    std::vector<Separation> second(rest.size());
    search_around(rest.size(), ends.data(), others.data(), ends.data(), adjacency, order, threads, second.data(), tally);
    for (std::size_t k = 0; k < rest.size(); ++k) {
        Separation& first = out[rest[k]];
        if (second[k].found || (second[k].asked && (!first.asked || second[k].outcome.nearness > first.outcome.nearness)))
            first = std::move(second[k]);
    }
}

void Tester::search_around(std::size_t n, const std::uint32_t* x, const std::uint32_t* y, const std::uint32_t* owner,
                           const std::uint8_t* adjacency, int order, int threads, Separation* out, Tally& tally) {
    // Entries of one owner are one piece of work: they share its neighbours and its merged rows.
    const std::size_t p = columns_->size();
    std::vector<std::vector<std::size_t>> entries(order == 0 ? 0 : p);
    std::vector<std::uint32_t> owners;
    double tests = static_cast<double>(n);
    if (order > 0) {
        for (std::size_t i = 0; i < n; ++i) {
            if (entries[owner[i]].empty()) owners.push_back(owner[i]);
            entries[owner[i]].push_back(i);
        }
        tests = 0;
        for (const std::uint32_t o : owners) {
            const auto degree = static_cast<std::size_t>(std::count_if(
                adjacency + o * p, adjacency + (o + 1) * p, [](std::uint8_t edge) { return edge != 0; }));
            if (degree > static_cast<std::size_t>(order))
                tests += static_cast<double>(entries[o].size()) * choose(degree - 1, order);
        }
    }
    threads = useful_threads(threads, tests, columns_->rows());
    auto& pool = workers(threads);
    std::vector<Tally> tallies(static_cast<std::size_t>(threads));

    if (order == 0) {
        const std::vector<std::uint32_t> nothing;
        constexpr std::size_t kChunk = 256;
        share_out((n + kChunk - 1) / kChunk, threads, [&](int t, std::size_t chunk) {
            const auto thread = static_cast<std::size_t>(t);
            for (std::size_t i = chunk * kChunk; i < std::min(n, (chunk + 1) * kChunk); ++i)
                out[i] = separate(*pool[thread], x[i], y[i], nothing, 0, nullptr, tallies[thread]);
        });
    } else {
        share_out(owners.size(), threads, [&](int t, std::size_t index) {
            const auto thread = static_cast<std::size_t>(t);
            const std::uint32_t o = owners[index];
            std::vector<std::uint32_t> members, candidates;
            for (std::uint32_t v = 0; v < p; ++v)
                if (adjacency[o * p + v] && v != o) members.push_back(v);
            const std::size_t degree = members.size();
            std::vector<std::uint32_t> neighbours(members);
            const Family* family = nullptr;
            if (order >= 2 && degree > static_cast<std::size_t>(order)) {
                members.push_back(o);
                for (const std::size_t i : entries[o]) {
                    members.push_back(x[i]);
                    members.push_back(y[i]);
                }
                std::sort(members.begin(), members.end());
                members.erase(std::unique(members.begin(), members.end()), members.end());
                family = family_of(*pool[thread], o, members,
                                   static_cast<double>(entries[o].size()) * choose(degree - 1, order));
            }
            for (const std::size_t i : entries[o]) {
                candidates.clear();
                for (const std::uint32_t v : neighbours)
                    if (v != x[i] && v != y[i]) candidates.push_back(v);
                out[i] = separate(*pool[thread], x[i], y[i], candidates, order, family, tallies[thread]);
            }
        });
    }
    for (const Tally& t : tallies) tally.add(t);
    remember(threads);
}

}  // namespace paucal
