#include "graphs/elimination.hpp"

#include <algorithm>
#include <limits>
#include <list>

#include "errors.hpp"
#include "math/bitset.hpp"

namespace paucal {
namespace {

using Scope = std::vector<std::uint32_t>;

// A factor on its way: what is summed out owns its values.
struct Table {
    Scope scope;
    std::vector<std::size_t> strides;
    const double* values;
    std::vector<double> own;
};

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    return a && b > std::numeric_limits<std::uint64_t>::max() / a ? std::numeric_limits<std::uint64_t>::max() : a * b;
}

std::vector<std::size_t> strides_of(const Scope& scope, std::span<const std::uint32_t> levels) {
    std::vector<std::size_t> strides(scope.size());
    std::size_t step = 1;
    for (std::size_t i = scope.size(); i-- > 0;) {
        strides[i] = step;
        step *= levels[scope[i]];
    }
    return strides;
}

// The product of tables over the cells of `scope`, one axis each, with the levels of a further node summed where there
// is one. Products and sums are taken in the order of tables and levels.
class Product {
public:
    Product(const std::vector<const Table*>& tables, const Scope& scope, std::span<const std::uint32_t> levels)
        : tables_(tables) {
        for (const std::uint32_t v : scope) {
            sizes_.push_back(levels[v]);
            for (const Table* table : tables) steps_.push_back(stride(*table, v));
        }
    }

    std::vector<double> summed(std::uint64_t cells, std::uint32_t node, std::uint32_t levels) {
        for (const Table* table : tables_) inner_.push_back(stride(*table, node));
        return over(cells, levels);
    }

    std::vector<double> whole(std::uint64_t cells) {
        inner_.assign(tables_.size(), 0);
        return over(cells, 1);
    }

private:
    static std::size_t stride(const Table& table, std::uint32_t node) {
        const auto found = std::find(table.scope.begin(), table.scope.end(), node);
        return found == table.scope.end() ? 0 : table.strides[static_cast<std::size_t>(found - table.scope.begin())];
    }

    std::vector<double> over(std::uint64_t cells, std::uint32_t levels) {
        const std::size_t k = tables_.size();
        std::vector<double> out(cells);
        std::vector<const double*> at(k);
        for (std::size_t t = 0; t < k; ++t) at[t] = tables_[t]->values;
        std::vector<std::uint32_t> place(sizes_.size(), 0);
        for (std::uint64_t cell = 0; cell < cells; ++cell) {
            double sum = 0;
            for (std::uint32_t level = 0; level < levels; ++level) {
                double product = 1;
                for (std::size_t t = 0; t < k; ++t) product *= at[t][level * inner_[t]];
                sum += product;
            }
            out[cell] = sum;
            for (std::size_t axis = sizes_.size(); axis-- > 0;) {  // the next cell, the last axis fastest
                const std::size_t* step = steps_.data() + axis * k;
                if (++place[axis] < sizes_[axis]) {
                    for (std::size_t t = 0; t < k; ++t) at[t] += step[t];
                    break;
                }
                for (std::size_t t = 0; t < k; ++t) at[t] -= step[t] * (sizes_[axis] - 1);
                place[axis] = 0;
            }
        }
        return out;
    }

    const std::vector<const Table*>& tables_;
    std::vector<std::uint32_t> sizes_;
    std::vector<std::size_t> steps_, inner_;  // [axis * tables + table]; of the node that is summed out
};

void check(std::span<const std::uint32_t> levels, const std::vector<Factor>& factors, const Scope& query) {
    std::vector<std::uint8_t> asked(levels.size(), 0), covered(levels.size(), 0);
    for (const std::uint32_t v : query) {
        if (v >= levels.size()) refuse("node ", v, " is asked for, there are ", levels.size());
        if (asked[v]++) refuse("node ", v, " is asked for twice");
    }
    for (const Factor& factor : factors) {
        std::uint64_t cells = 1;
        std::vector<std::uint8_t> here(levels.size(), 0);
        for (const std::uint32_t v : factor.scope) {
            if (v >= levels.size()) refuse("a table is about node ", v, ", there are ", levels.size());
            if (here[v]++) refuse("a table names node ", v, " twice");
            covered[v] = 1;
            cells = times(cells, levels[v]);
        }
        if (cells != factor.values.size())
            refuse("a table has ", factor.values.size(), " numbers, its nodes have ", cells, " cells");
    }
    for (const std::uint32_t v : query)
        if (!covered[v]) refuse("no table is about node ", v);
}

}  // namespace

Eliminated eliminate(std::span<const std::uint32_t> levels, const std::vector<Factor>& factors, const Scope& query,
                     std::uint64_t most_cells) {
    check(levels, factors, query);
    const std::size_t n = levels.size();
    std::list<Table> tables;
    BitMatrix near(n);  // who shares a table with whom; summing a node out joins all its neighbours
    for (const Factor& factor : factors) {
        tables.push_back({factor.scope, strides_of(factor.scope, levels), factor.values.data(), {}});
        for (const std::uint32_t a : factor.scope)
            for (const std::uint32_t b : factor.scope) near.set(a, b);
    }
    const auto cost_of = [&](std::uint32_t v) {
        std::uint64_t cells = 1;
        near.each(v, [&](std::uint32_t u) { cells = times(cells, levels[u]); });
        return cells;
    };
    std::vector<std::uint64_t> cost(n);
    Scope hidden;
    for (std::uint32_t v = 0; v < n; ++v) {
        cost[v] = cost_of(v);
        if (std::find(query.begin(), query.end(), v) == query.end()) hidden.push_back(v);
    }
    std::vector<const Table*> touched;
    while (!hidden.empty()) {
        const auto next = std::min_element(hidden.begin(), hidden.end(), [&](std::uint32_t a, std::uint32_t b) {
            return cost[a] < cost[b];
        });
        const std::uint32_t node = *next;
        hidden.erase(next);
        touched.clear();
        std::list<Table> gone;
        for (auto it = tables.begin(); it != tables.end();) {
            const auto here = it++;
            if (std::find(here->scope.begin(), here->scope.end(), node) == here->scope.end()) continue;
            gone.splice(gone.end(), tables, here);
            touched.push_back(&gone.back());
        }
        Scope scope;
        for (const Table* table : touched) scope.insert(scope.end(), table->scope.begin(), table->scope.end());
        std::sort(scope.begin(), scope.end());
        scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
        scope.erase(std::remove(scope.begin(), scope.end(), node), scope.end());
        std::uint64_t cells = 1;
        for (const std::uint32_t v : scope) cells = times(cells, levels[v]);
        if (times(cells, levels[node]) > most_cells) return {{}, times(cells, levels[node]), scope.size() + 1};
        if (!touched.empty()) {
            std::vector<double> values = Product(touched, scope, levels).summed(cells, node, levels[node]);
            tables.push_back({scope, strides_of(scope, levels), nullptr, std::move(values)});
            tables.back().values = tables.back().own.data();
        }
        for (const std::uint32_t a : scope) {
            for (const std::uint32_t b : scope) near.set(a, b);
            near.clear(a, node);
            cost[a] = cost_of(a);
        }
    }
    std::uint64_t cells = 1;
    for (const std::uint32_t v : query) cells = times(cells, levels[v]);
    if (cells > most_cells) return {{}, cells, query.size()};
    touched.clear();
    for (const Table& table : tables) touched.push_back(&table);
    return {Product(touched, query, levels).whole(cells), cells, query.size()};
}

}  // namespace paucal
