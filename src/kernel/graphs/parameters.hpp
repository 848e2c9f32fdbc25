// The table of a family, drawn from its posterior: P(level of a node | levels of its parents).
//
// With n_jl rows in configuration j and level l, q configurations and r levels: one of the sizes a_k by the weights
//     w_k  proportional to  prod_j Gamma(a_k/q) / Gamma(n_j + a_k/q) * prod_jl Gamma(n_jl + a_k/(q r)) / Gamma(a_k/(q r)),
// then theta_j from Dirichlet(n_jl + a_k/(q r)) for every configuration; of those that no row has, when asked for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "math/random.hpp"

namespace paucal {

// A complete table of codes, column by column.
struct CodeTable {
    std::size_t rows = 0;
    std::vector<std::uint32_t> states;              // observed levels of each column, numbered from 0
    std::vector<double> levels;                     // numbers of levels that formulas go by
    std::vector<std::vector<std::uint32_t>> codes;  // per column
};

// The weights w_k of the sizes for a family; counts has `states` entries for each observed configuration.
std::vector<double> size_weights(const std::vector<double>& sizes, const std::vector<std::uint32_t>& counts,
                                 std::uint32_t states, double configurations, double levels);

class DrawnFamily {
public:
    // The table is read when the family is made and when a row is asked about. Of `among`, if it is not null, it counts
    // the rows with this value: those in which the node was set from outside (1), or was not (0).
    DrawnFamily(const CodeTable& table, std::uint32_t node, std::vector<std::uint32_t> parents,
                const std::vector<double>& sizes, Random& random, const std::uint8_t* among = nullptr,
                std::uint8_t value = 0);

    std::uint32_t node() const { return node_; }

    // ln P(value of the node | its parents) in a row, for any level of one of the parents: where it is looked up.
    struct Row {
        std::uint64_t first, step;  // keys of the levels
        std::uint32_t own;          // level of the node
    };
    Row in_row(std::size_t row, std::uint32_t parent) const;
    bool has_rows() const { return !wide_; }  // otherwise keys have no steps
    double operator()(const Row& row, std::uint32_t level, Random& random) {
        return distribution(row.first + level * row.step, random)[row.own];
    }

    // The same for the levels that the row has.
    double operator()(std::size_t row, Random& random) { return distribution(key(row), random)[table_->codes[node_][row]]; }

    // ln P(level | parents) for all levels of the node, in the configuration of a row.
    const double* all(std::size_t row, Random& random) { return distribution(key(row), random); }

private:
    std::uint64_t key(std::size_t row) const;
    const double* distribution(std::uint64_t key, Random& random);
    std::uint32_t place_of(std::uint64_t key);

    const CodeTable* table_;
    std::uint32_t node_;
    std::vector<std::uint32_t> parents_;
    double per_cell_ = 0;  // pseudo-count
    bool wide_ = false;    // there are more configurations than numbers: keys are scrambled
    std::vector<std::uint32_t> dense_;  // place of a configuration, kNowhere if none; empty if there are too many
    std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
    std::vector<std::uint32_t> counts_;
    std::vector<double> log_theta_;
    std::vector<std::uint8_t> drawn_;
};

}  // namespace paucal
