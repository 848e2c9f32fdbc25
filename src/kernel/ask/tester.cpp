#include "ask/tester.hpp"

#include <algorithm>
#include <limits>

#include "ask/memo.hpp"
#include "share_out.hpp"
#include "ask/worker.hpp"

namespace paucal {

Tester::Tester(std::shared_ptr<const Columns> columns, SharedStatistic statistic, Criterion criterion, ThinRule rule,
               bool act)
    : columns_(std::move(columns)),
      statistic_(std::move(statistic)),
      criterion_(std::move(criterion)),
      rule_(rule),
      act_(act),
      memo_(std::make_unique<Memo>(columns_->size())),
      families_(columns_->size()) {
    const Kind& kind = statistic_->kind();
    if (kind.p_value != std::holds_alternative<Level>(criterion_))
        refuse(kind.p_value ? "a statistic with a p-value goes by a Level"
                            : "a statistic without a p-value goes by Evidence or a Threshold");
    if (!(rule.least >= 0)) refuse("least is ", rule.least, "; it must be a number from 0 on");
    if (rule.per_dof && !kind.dof) refuse("this statistic has no degrees of freedom to count samples by");
}

Tester::~Tester() = default;

Outcome Tester::judge(Counts* counts, std::uint32_t samples, int order) const {
    const Reading reading = counts ? statistic_->read(*counts) : statistic_->nothing();
    const auto compare = [&](const auto& by) { return by(reading, counts, order); };
    const Level* level = std::get_if<Level>(&criterion_);  // most often; `visit` alone would not inline it
    const Verdict verdict = level ? compare(*level) : std::visit(compare, criterion_);
    Outcome out{reading.statistic, reading.dof, reading.p_value, verdict.threshold, verdict.nearness, reading.strata, samples};
    const bool reach = statistic_->kind().reach;
    if (!counts) {
        out.flags = kConstant | kNoInformation | (reach ? kPowerless : 0);
        return out;
    }
    out.decision = verdict.independent ? Decision::independent : Decision::dependent;
    if (reading.informative == 0) out.flags |= kNoInformation;
    if (reading.direction != 0) out.flags |= reading.direction > 0 ? kRising : kFalling;
    if (reach && verdict.independent && !statistic_->can_reach(*counts, reading, verdict.threshold)) {
        out.flags |= kPowerless;
        if (act_) out.decision = Decision::undecidable;
    }
    if (reading.strata < counts->configurations) out.flags |= kEmptyStrata;
    const double units = rule_.per_dof ? reading.dof : counts->configurations * counts->kx * counts->ky;
    if (counts->total < rule_.least * units) {
        out.flags |= kThin;
        if (rule_.sparse == Sparse::independent) out.decision = Decision::independent;
        if (rule_.sparse == Sparse::undecidable) out.decision = Decision::undecidable;
    }
    return out;
}

Outcome Tester::evaluate(Worker& worker, const Question& q, const Family* family) const {
    if (columns_->has_gaps()) [[unlikely]]
        return evaluate_complete(worker, q, family);
    const bool constant = (*columns_)[q.x].observed <= 1 || (*columns_)[q.y].observed <= 1;
    const auto samples = static_cast<std::uint32_t>(columns_->samples());
    return judge(constant ? nullptr : &worker.counter.count(q, family), samples, q.order);
}

// What varies among all rows may not do so among those that have every value of the question.
[[gnu::noinline]] Outcome Tester::evaluate_complete(Worker& worker, const Question& q, const Family* family) const {
    Counts& counts = worker.counter.count(q, family);
    return judge(counts.varies() ? &counts : nullptr, counts.total, q.order);
}

double Tester::smallest_p(Index x, Index y, Indices z) {
    columns_->check_question(x, y, z);
    if ((*columns_)[x].observed <= 1 || (*columns_)[y].observed <= 1) return 1;
    const std::lock_guard lock(busy_);
    Worker& worker = *workers(1)[0];
    Counts& counts = worker.counter.count(worker.canonical(x, y, z));
    return columns_->has_gaps() && !counts.varies() ? 1 : statistic_->smallest_p(counts);
}

Outcomes Tester::read(std::span<const std::uint32_t> tables, const Shape& shape) const {
    const std::size_t cells = shape.strata * shape.kx * shape.ky;
    if (cells == 0) refuse("a table needs at least one stratum, one row and one column");
    if (shape.order < 0) refuse("order is ", shape.order, "; it must be a number from 0 on");
    Counts counts;
    counts.kx = shape.kx, counts.ky = shape.ky, counts.order = shape.order, counts.strata = shape.strata;
    counts.configurations = static_cast<double>(shape.strata);
    Outcomes out(tables.size() / cells);
    std::vector<std::uint8_t> row(shape.kx), column(shape.ky);
    for (std::size_t t = 0; t < out.size; ++t) {
        const std::uint32_t* cell = tables.data() + t * cells;
        counts.cells = cell;
        std::uint64_t total = 0;
        std::fill(row.begin(), row.end(), 0);
        std::fill(column.begin(), column.end(), 0);
        for (std::size_t s = 0; s < shape.strata; ++s)
            for (Index i = 0; i < shape.kx; ++i)
                for (Index j = 0; j < shape.ky; ++j) {
                    const std::uint32_t n = *cell++;
                    total += n;
                    row[i] |= n > 0, column[j] |= n > 0;
                }
        if (total > std::numeric_limits<std::uint32_t>::max()) refuse("a table holds at most 2^32 - 1 samples, not ", total);
        counts.total = static_cast<std::uint32_t>(total);
        const bool constant = std::count(row.begin(), row.end(), 1) < 2 || std::count(column.begin(), column.end(), 1) < 2;
        out.put(t, judge(constant ? nullptr : &counts, counts.total, shape.order));
    }
    return out;
}

// One question, asked in any order of its variables; the memo is read here and written in remember().
Outcome Tester::answer(Worker& worker, Index x, Index y, Indices z, const Family* family, Tally& tally) const {
    const Question q = worker.canonical(x, y, z);
    ++tally.calls;
    Key key{};
    bool fresh = true;
    if (q.order == 0) {
        fresh = !memo_->was_asked(q);
    } else {
        key = key_of(q);
        if (const Outcome* known = memo_->find(key)) return *known;
    }
    const Outcome out = evaluate(worker, q, family);
    if (fresh) {
        tally.add_fresh(out);
        if (q.order == 0)
            worker.asked.emplace_back(q.x, q.y);
        else if (worker.keeps)
            worker.answers.emplace_back(key, out);
    }
    return out;
}

// All answers of a call or none: which thread they come from must not decide what is remembered.
void Tester::remember(int threads) {
    const std::span pool(workers_.data(), static_cast<std::size_t>(threads));
    std::size_t more = 0;
    for (const auto& worker : pool) more += worker->answers.size();
    const bool room = memo_->make_room(more);
    for (const auto& worker : pool) {
        if (room)
            for (const auto& [key, outcome] : worker->answers) memo_->insert(key, outcome);
        for (const auto& [x, y] : worker->asked) memo_->set_asked({x, y, nullptr, 0});
        worker->answers.clear();
        worker->asked.clear();
        worker->keeps = true;
    }
}

std::vector<std::unique_ptr<Tester::Worker>>& Tester::workers(int threads) {
    while (workers_.size() < static_cast<std::size_t>(threads)) workers_.push_back(std::make_unique<Worker>(*columns_));
    return workers_;
}

Outcome Tester::ask(Index x, Index y, Indices z, Tally& tally) {
    columns_->check_question(x, y, z);
    const std::lock_guard lock(busy_);
    const Outcome out = answer(*workers(1)[0], x, y, z, nullptr, tally);
    remember(1);
    return out;
}

std::optional<Outcome> Tester::ask_at_once(Index x, Index y, Indices z, Tally& tally) {
    columns_->check_question(x, y, z);
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock) return {};
    Worker& worker = *workers(1)[0];
    constexpr std::size_t kFewRows = 4096;
    if (columns_->rows() > kFewRows || statistic_->kind().slow) {
        const Question q = worker.canonical(x, y, z);
        const Outcome* known = q.order == 0 ? nullptr : memo_->find(key_of(q));
        if (!known) return {};
        ++tally.calls;
        return *known;
    }
    const Outcome out = answer(worker, x, y, z, nullptr, tally);
    remember(1);
    return out;
}

// Searches ask about many sets for a pair, one after the other: their columns have fewer distinct rows than the data.
const Family* Tester::family_at(Worker& worker, const Batch& batch, std::size_t i, const Question& q) const {
    if (q.order < 2) return nullptr;
    auto& [begin, end, family] = worker.run;
    if (i < begin || i >= end) {
        const auto& [x, y, z] = batch;
        begin = i;
        for (end = i + 1; end < x.size() && x[end] == x[i] && y[end] == y[i];) ++end;
        family = nullptr;
        if (end - begin < 2) return nullptr;
        const auto k = static_cast<std::size_t>(q.order);
        std::vector<Index> members(z.begin() + static_cast<std::ptrdiff_t>(begin * k),
                                   z.begin() + static_cast<std::ptrdiff_t>(end * k));
        members.push_back(q.x), members.push_back(q.y);
        std::sort(members.begin(), members.end());
        members.erase(std::unique(members.begin(), members.end()), members.end());
        family = worker.merged_rows(q, end - begin, members);
    }
    return family;
}

void Tester::ask_many(Indices x, Indices y, Indices z, int order, int threads, Outcomes& out, Tally& tally,
                      Watch* watch) {
    const auto k = static_cast<std::size_t>(order);
    const std::size_t n = x.size();
    const auto given = [&](std::size_t i) { return z.subspan(i * k, k); };
    if (order < 0 || y.size() != n || z.size() != n * k) refuse("x, y and given differ in length");
    check_threads(threads);
    columns_->check_questions(x, y, z, k);
    const std::lock_guard lock(busy_);
    threads = useful_threads(threads, static_cast<double>(n), columns_->rows());
    auto& pool = workers(threads);
    constexpr std::size_t kChunk = 64;
    const Batch batch{x, y, z};
    for (auto& worker : pool) worker->run = {};
    const auto stopped = [&] { return watch && watch->stopped(); };
    const auto leave = [&](std::size_t first) {
        Outcome unasked;
        unasked.decision = Decision::undecidable;
        unasked.nearness = -std::numeric_limits<double>::infinity();
        for (std::size_t i = first; i < n; ++i) out.put(i, unasked);
    };
    if (threads == 1) {
        Worker& worker = *pool[0];
        Question questions[kChunk];
        Key keys[kChunk];
        std::vector<Index> sorted(kChunk * k);
        for (std::size_t start = 0; start < n; start += kChunk) {
            const std::size_t length = std::min(kChunk, n - start);
            if (order == 0) {
                for (std::size_t i = start; i < start + length; ++i) {
                    const Question q = Worker::canonical(x[i], y[i], {}, nullptr);
                    const Outcome outcome = evaluate(worker, q, nullptr);
                    out.put(i, outcome);
                    if (memo_->set_asked(q)) tally.add_fresh(outcome);
                }
            } else {
                for (std::size_t i = 0; i < length; ++i) {
                    questions[i] = Worker::canonical(x[start + i], y[start + i], given(start + i), sorted.data() + i * k);
                    memo_->expect(keys[i] = key_of(questions[i]));
                }
                for (std::size_t i = 0; i < length; ++i) {
                    if (const Outcome* known = memo_->find(keys[i])) {
                        out.put(start + i, *known);
                        continue;
                    }
                    const Outcome outcome = evaluate(worker, questions[i], family_at(worker, batch, start + i, questions[i]));
                    out.put(start + i, outcome);
                    memo_->insert(keys[i], outcome);
                    tally.add_fresh(outcome);
                }
            }
            tally.calls += length;
            if (watch && length == kChunk) {
                watch->add(kChunk);
                if (watch->pulse()) return leave(start + kChunk);
            }
        }
        return;
    }
    std::vector<Key> keys(order == 0 ? 0 : n);
    std::vector<Outcome> answers(n);
    if (stopped()) return leave(0);
    share_out((n + kChunk - 1) / kChunk, threads, [&](int t, std::size_t chunk) {
        Worker& worker = *pool[static_cast<std::size_t>(t)];
        for (std::size_t i = chunk * kChunk; i < std::min(n, (chunk + 1) * kChunk); ++i) {
            const Question q = worker.canonical(x[i], y[i], given(i));
            const Outcome* known = nullptr;
            if (order > 0) known = memo_->find(keys[i] = key_of(q));
            answers[i] = known ? *known : evaluate(worker, q, family_at(worker, batch, i, q));
        }
        if (watch) watch->add(kChunk), watch->pulse();
    }, watch);
    if (stopped()) return leave(0);  // some were not asked, nobody knows which
    tally.calls += n;
    // A batch may repeat itself; what is new is found out afterwards, in the order of the questions.
    for (std::size_t i = 0; i < n; ++i) {
        out.put(i, answers[i]);
        if (order == 0) {
            const Question q{std::min(x[i], y[i]), std::max(x[i], y[i]), nullptr, 0};
            if (!memo_->set_asked(q)) continue;
        } else {
            if (memo_->find(keys[i])) continue;
            memo_->insert(keys[i], answers[i]);
        }
        tally.add_fresh(answers[i]);
    }
}

}  // namespace paucal
