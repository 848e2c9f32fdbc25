// Numbers beside cells: what Gaussian columns add to the score of a set of columns with cells.
//
//   G(S) = -N/2 ln det R_S - ln(N)/2 d (d + 1)/2,   d columns of S in the design, R_S their correlation matrix
//
// A line is one column of the design, its normal score z. A column with cells is one indicator for every observed level
// but the first. Every diagonal entry of Z'Z/N gets a nugget tau before R is scaled to ones: without it the ties of a
// line would promise more than they carry. Blocks of R are made once per pair of columns and kept.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "data/columns.hpp"

namespace paucal {

// Beyond so many columns of the design, cells explain nothing about numbers: a Cholesky factor of them would cost seconds,
// and the price of so many parameters could hardly be earned.
inline constexpr std::size_t kMostDesign = 256;

class Lines {
public:
    // Per line its standardised values, row by row, and its nugget.
    Lines(std::shared_ptr<const Columns> cells, std::vector<std::vector<double>> z, std::vector<double> nugget);

    std::size_t size() const { return z_.size(); }

    // G(cells + lines) - G(cells). Both ascending: the order of columns decides the last bits.
    double gain(const std::uint32_t* cells, int n_cells, const std::uint32_t* lines, int n_lines);

private:
    // Columns of the design are numbered cells first, then lines.
    std::size_t width(std::uint32_t column) const { return column < first_line() ? levels_[column].size() : 1; }
    std::uint32_t first_line() const { return static_cast<std::uint32_t>(cells_->size()); }
    double nugget(std::uint32_t column) const;
    const std::vector<double>& block(std::uint32_t a, std::uint32_t b);  // a <= b: width(a) x width(b) correlations
    std::vector<std::uint32_t> places(std::uint32_t column) const;
    std::vector<double> cells_with_cells(std::uint32_t a, std::uint32_t b) const;
    std::vector<double> cells_with_line(std::uint32_t a, std::uint32_t line) const;
    double line_with_line(std::uint32_t a, std::uint32_t b) const;
    double rounded(double term) const { return (term + round_) - round_; }
    double log_pivots(std::size_t from, std::size_t size);

    std::shared_ptr<const Columns> cells_;
    std::vector<std::vector<double>> z_;
    std::vector<double> nugget_;
    std::vector<std::vector<std::uint32_t>> levels_;  // per column with cells: the observed ones but the first
    std::unordered_map<std::uint64_t, std::vector<double>> blocks_;
    std::vector<double> r_;  // the matrix at work, lower triangle
    double round_;
};

}  // namespace paucal
