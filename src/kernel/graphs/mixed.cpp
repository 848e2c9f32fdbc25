#include "graphs/mixed.hpp"

#include <cmath>

#include "errors.hpp"

namespace paucal {
namespace {

constexpr double kIndicatorNugget = .001;
constexpr double kStandardised = 1e-6;  // how far from 0 and 1 mean and variance of a line may be

double parameters(double d) { return d * (d + 1) / 2; }

}  // namespace

Lines::Lines(std::shared_ptr<const Columns> cells, std::vector<std::vector<double>> z, std::vector<double> nugget)
    : cells_(std::move(cells)), z_(std::move(z)), nugget_(std::move(nugget)) {
    const auto rows = static_cast<double>(cells_->rows());
    if (cells_->weights()) refuse("lines need the rows one by one, not with weights");
    if (nugget_.size() != z_.size()) refuse("there are ", nugget_.size(), " nuggets for ", z_.size(), " lines");
    for (const double tau : nugget_) check_positive("a nugget", tau);
    for (const auto& line : z_) {
        if (line.size() != cells_->rows()) refuse("a line has ", line.size(), " values for ", cells_->rows(), " rows");
        double sum = 0, squares = 0;
        for (const double value : line) {
            check_finite("a value of a line", value);
            sum += value, squares += value * value;
        }
        if (!(std::abs(sum / rows) < kStandardised && std::abs(squares / rows - 1) < kStandardised))
            refuse("a line must have mean 0 and variance 1, not ", sum / rows, " and ", squares / rows);
    }
    for (std::size_t column = 0; column < cells_->size(); ++column) {
        std::vector<std::uint32_t> observed;
        const Column& data = (*cells_)[column];
        for (std::uint32_t level = 0; level < data.states; ++level)
            if (data.margin[level]) observed.push_back(level);
        if (!observed.empty()) observed.erase(observed.begin());
        levels_.push_back(std::move(observed));
    }
    // Terms rounded to a multiple of 2^-52 of a power of two above their sum add up without error, so in any order of rows.
    round_ = 1.5 * std::exp2(std::ceil(std::log2(2 * rows)));
}

double Lines::nugget(std::uint32_t column) const {
    return column < first_line() ? kIndicatorNugget : nugget_[column - first_line()];
}

double Lines::gain(const std::uint32_t* cells, int n_cells, const std::uint32_t* lines, int n_lines) {
    std::size_t wide = 0;
    for (int i = 0; i < n_cells; ++i) wide += width(cells[i]);
    const auto d_lines = static_cast<double>(n_lines), d_cells = static_cast<double>(wide);
    const auto rows = static_cast<double>(cells_->rows());
    const double price = std::log(rows) / 2 * (parameters(d_cells + d_lines) - parameters(d_cells));
    if (wide > kMostDesign) n_cells = 0, wide = 0;  // they explain nothing, and cost all the same

    std::uint32_t columns[128];  // callers keep to kMostMembers
    int n = 0;
    for (int i = 0; i < n_cells; ++i) columns[n++] = cells[i];
    for (int i = 0; i < n_lines; ++i) columns[n++] = first_line() + lines[i];
    const std::size_t size = wide + static_cast<std::size_t>(n_lines);
    r_.assign(size * size, 0);
    std::size_t at_i = 0;
    for (int i = 0; i < n; at_i += width(columns[i++])) {
        std::size_t at_j = 0;
        for (int j = 0; j <= i; at_j += width(columns[j++])) {
            const std::vector<double>& part = block(columns[j], columns[i]);  // ascending, as cells come before lines
            const double scale = 1 / std::sqrt((1 + nugget(columns[i])) * (1 + nugget(columns[j])));
            for (std::size_t b = 0; b < width(columns[i]); ++b)
                for (std::size_t a = 0; a < width(columns[j]); ++a)
                    r_[(at_i + b) * size + at_j + a] = scale * part[a * width(columns[i]) + b];
        }
        for (std::size_t b = 0; b < width(columns[i]); ++b) r_[(at_i + b) * size + at_i + b] = 1;
    }
    return -rows / 2 * log_pivots(wide, size) - price;
}

// The logarithm of det R / det of its first `from` columns: the pivots of the others in its Cholesky factor.
double Lines::log_pivots(std::size_t from, std::size_t size) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
        double* row = r_.data() + i * size;
        double pivot = row[i];
        for (std::size_t j = 0; j < i; ++j) {
            const double* above = r_.data() + j * size;
            double value = row[j];
            for (std::size_t k = 0; k < j; ++k) value -= row[k] * above[k];
            row[j] = value * above[j];  // the diagonal keeps the inverse of the factor's
            pivot -= row[j] * row[j];
        }
        if (i >= from) sum += std::log(pivot);
        row[i] = 1 / std::sqrt(pivot);
    }
    return sum;
}

const std::vector<double>& Lines::block(std::uint32_t a, std::uint32_t b) {
    std::vector<double>& known = blocks_[std::uint64_t{a} << 32 | b];
    if (known.empty() && width(a) * width(b) > 0) {
        if (b < first_line())
            known = cells_with_cells(a, b);
        else if (a < first_line())
            known = cells_with_line(a, b - first_line());
        else
            known = {a == b ? 1 : line_with_line(a - first_line(), b - first_line())};
    }
    return known;
}

// By level: 0 for the first that occurs, then 1, 2 ...
std::vector<std::uint32_t> Lines::places(std::uint32_t column) const {
    std::vector<std::uint32_t> out((*cells_)[column].states, 0);
    for (std::size_t i = 0; i < width(column); ++i) out[levels_[column][i]] = static_cast<std::uint32_t>(i + 1);
    return out;
}

// The deviation of a count from what independence expects is a whole number over N, so nothing depends on the order of rows.
std::vector<double> Lines::cells_with_cells(std::uint32_t a, std::uint32_t b) const {
    const Column &x = (*cells_)[a], &y = (*cells_)[b];
    const std::vector<std::uint32_t> place_x = places(a), place_y = places(b);
    const std::size_t ky = width(b) + 1;
    std::vector<double> counts((width(a) + 1) * ky, 0), out;
    const auto rows = static_cast<double>(cells_->rows());
    for (std::size_t row = 0; row < cells_->rows(); ++row) counts[place_x[x.value(row)] * ky + place_y[y.value(row)]] += 1;
    const auto spread = [&](double n) { return std::sqrt(n * (rows - n)); };
    for (std::size_t i = 0; i < width(a); ++i)
        for (std::size_t j = 0; j < width(b); ++j) {
            const double ni = x.margin[levels_[a][i]], nj = y.margin[levels_[b][j]];
            out.push_back((rows * counts[(i + 1) * ky + j + 1] - ni * nj) / (spread(ni) * spread(nj)));
        }
    return out;
}

std::vector<double> Lines::cells_with_line(std::uint32_t a, std::uint32_t line) const {
    const Column& x = (*cells_)[a];
    std::vector<double> sums(x.states, 0), out;
    const auto rows = static_cast<double>(cells_->rows());
    for (std::size_t row = 0; row < cells_->rows(); ++row) sums[x.value(row)] += rounded(z_[line][row]);
    for (const std::uint32_t i : levels_[a]) {
        const double n = x.margin[i];
        out.push_back(sums[i] / std::sqrt(n * (rows - n)));
    }
    return out;
}

double Lines::line_with_line(std::uint32_t a, std::uint32_t b) const {
    double sum = 0;
    for (std::size_t row = 0; row < cells_->rows(); ++row) sum += rounded(z_[a][row] * z_[b][row]);
    return sum / static_cast<double>(cells_->rows());
}

}  // namespace paucal
