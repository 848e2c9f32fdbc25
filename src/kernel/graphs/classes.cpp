#include "graphs/classes.hpp"

#include <algorithm>

namespace paucal {

Completion::Completion(std::size_t n, const std::uint8_t* forbidden)
    : n_(n), words_((n + 63) / 64), knowledge_(forbidden != nullptr), forbidden_(n), told_(n), arrows_(n), into_(n), lines_(n),
      adjacent_(n), parents_(n) {
    if (forbidden)
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < n; ++b) {
                if (forbidden[a * n + b] & kForbidden) forbidden_.set(a, b);
                if (forbidden[a * n + b] & kTold) told_.set(a, b), told_.set(b, a);
            }
}

void Completion::complete(const BitMatrix& children) {
    for (BitMatrix* matrix : {&arrows_, &into_, &lines_, &adjacent_, &parents_}) matrix->clear();
    for (std::uint32_t a = 0; a < n_; ++a)
        children.each(a, [&](std::uint32_t b) {
            adjacent_.set(a, b), adjacent_.set(b, a);
            lines_.set(a, b), lines_.set(b, a);
            parents_.set(b, a);
        });
    for (std::uint32_t c = 0; c < n_; ++c)
        parents_.each(c, [&](std::uint32_t a) {
            for (std::size_t w = 0; w < words_; ++w) {
                std::uint64_t apart = parents_[c][w] & ~adjacent_[a][w];
                if (w == a / 64) apart &= ~(std::uint64_t{1} << (a % 64));
                if (apart) {
                    orient(a, c);
                    return;
                }
            }
        });
    if (knowledge_)
        for (std::uint32_t a = 0; a < n_; ++a) {
            forbidden_.each(a, [&](std::uint32_t b) {
                if (lines_.has(a, b)) orient(b, a);
            });
            told_.each(a, [&](std::uint32_t b) {
                if (lines_.has(a, b) && parents_.has(b, a)) orient(a, b);
            });
        }
    close();
}

void Completion::orient(std::uint32_t a, std::uint32_t b) {
    lines_.clear(a, b), lines_.clear(b, a);
    arrows_.set(a, b);
    into_.set(b, a);
}

// Whether some node lies in both sets and not in the third, other than `except`.
bool Completion::meets(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* not_in,
                       std::uint32_t except) const {
    for (std::size_t w = 0; w < words_; ++w) {
        std::uint64_t common = a[w] & b[w] & ~not_in[w];
        if (w == except / 64) common &= ~(std::uint64_t{1} << (except % 64));
        if (common) return true;
    }
    return false;
}

// Whether one of Meek's rules turns a -- b into a -> b.
bool Completion::follows(std::uint32_t a, std::uint32_t b) const {
    for (std::size_t w = 0; w < words_; ++w) {
        if (into_[a][w] & ~adjacent_[b][w]) return true;  // c -> a, and c is not adjacent to b
        if (arrows_[a][w] & into_[b][w]) return true;     // a -> c -> b
    }
    bool found = false;
    lines_.each(a, [&](std::uint32_t c) {
        if (found || c == b) return;
        if (into_.has(b, c)) found = meets(lines_[a], into_[b], adjacent_[c], c);  // a -- c -> b <- d -- a, c and d apart
        if (!found && knowledge_ && !adjacent_.has(c, b))                         // a -- c -> d -> b, a and d adjacent
            for (std::size_t w = 0; w < words_ && !found; ++w) found = arrows_[c][w] & into_[b][w] & adjacent_[a][w];
    });
    return found;
}

void Completion::close() {
    todo_.clear();
    for (std::uint32_t a = 0; a < n_; ++a) lines_.each(a, [&](std::uint32_t b) { todo_.emplace_back(a, b); });
    while (!todo_.empty()) {
        const std::uint32_t a = todo_.back().first, b = todo_.back().second;  // no [a, b]: clang before 16 cannot capture it
        todo_.pop_back();
        if (!lines_.has(a, b) || !follows(a, b)) continue;
        orient(a, b);
        // What a rule may orient now that a -> b is there.
        lines_.each(b, [&](std::uint32_t c) { todo_.emplace_back(c, b), todo_.emplace_back(b, c); });
        arrows_.each(b, [&](std::uint32_t c) {
            if (lines_.has(a, c)) todo_.emplace_back(a, c);
            lines_.each(c, [&](std::uint32_t d) {
                if (lines_.has(a, d)) todo_.emplace_back(d, c);
            });
        });
    }
}

Extension extended(const BitMatrix& pdag) {
    const std::size_t n = pdag.size(), words = pdag.words();
    BitMatrix into(n);
    for (std::uint32_t a = 0; a < n; ++a) pdag.each(a, [&](std::uint32_t b) { into.set(b, a); });
    std::vector<std::uint64_t> alive(words), around(words);
    for (std::size_t v = 0; v < n; ++v) alive[v / 64] |= std::uint64_t{1} << (v % 64);
    std::vector<std::uint64_t> candidates = alive;
    const auto can_be_sink = [&](std::uint32_t x) {
        bool can = true;
        for (std::size_t w = 0; w < words; ++w) {
            if (pdag[x][w] & ~into[x][w] & alive[w]) can = false;  // an arrow leaves it
            around[w] = (pdag[x][w] | into[x][w]) & alive[w];
        }
        // Every y -- x becomes y -> x: a new v-structure unless y is adjacent to all else that x is joined to.
        for (std::size_t w = 0; can && w < words; ++w)
            for (std::uint64_t rest = pdag[x][w] & into[x][w] & alive[w]; can && rest; rest &= rest - 1) {
                const std::size_t y = 64 * w + static_cast<std::size_t>(std::countr_zero(rest));
                for (std::size_t v = 0; can && v < words; ++v) {
                    std::uint64_t apart = around[v] & ~pdag[y][v] & ~into[y][v];
                    if (v == y / 64) apart &= ~(std::uint64_t{1} << (y % 64));
                    can = !apart;
                }
            }
        return can;
    };
    Extension out{BitMatrix(n), {}};
    for (std::size_t w = words; w > 0;) {
        if (!candidates[w - 1]) {
            --w;
            continue;
        }
        const auto x = static_cast<std::uint32_t>(64 * w - 1 - static_cast<std::size_t>(std::countl_zero(candidates[w - 1])));
        candidates[w - 1] &= ~(std::uint64_t{1} << (x % 64));
        if (!can_be_sink(x)) continue;
        alive[x / 64] &= ~(std::uint64_t{1} << (x % 64));
        each_member(around.data(), words, [&](std::uint32_t y) { out.children.set(y, x); });
        for (std::size_t v = 0; v < words; ++v) candidates[v] |= around[v];  // only these can have become sinks
        w = words;
    }
    each_member(alive.data(), words, [&](std::uint32_t v) { out.left.push_back(v); });
    return out;
}

Triples unshielded_triples(const BitMatrix& adjacency) {
    const std::size_t n = adjacency.size(), words = adjacency.words();
    Triples out;
    for (std::uint32_t a = 0; a < n; ++a)
        for (std::uint32_t b = a + 1; b < n; ++b) {
            if (adjacency.has(a, b)) continue;
            for (std::size_t w = 0; w < words; ++w)
                for (std::uint64_t rest = adjacency[a][w] & adjacency[b][w]; rest; rest &= rest - 1) {
                    out.a.push_back(a), out.b.push_back(b);
                    out.c.push_back(static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(rest))));
                }
        }
    return out;
}

double expected_loss(const Completion& graph, std::size_t n, const PairProbabilities& p) {
    double loss = 0;
    for (std::uint32_t a = 0; a < n; ++a) {
        const auto absent = [&](std::uint32_t b) { return 1 - p.arrow[a * n + b] - p.arrow[b * n + a] - p.line[a * n + b]; };
        graph.arrows().each(a, [&](std::uint32_t b) { loss += absent(b) - p.arrow[a * n + b]; });
        graph.lines().each(a, [&](std::uint32_t b) {
            if (a < b) loss += absent(b) - p.line[a * n + b];
        });
    }
    return loss;
}

}  // namespace paucal
