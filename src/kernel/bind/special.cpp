// Special functions for Python: numbers in, numbers out; arrays of any shape in, arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <string>
#include <vector>

#include "bind/arrays.hpp"
#include "math/special.hpp"
#include "tests/permutation_moments.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace paucal {
namespace {

using Reals = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

// A number, or an array of them.
struct Argument {
    explicit Argument(nb::handle given) {
        if (nb::isinstance<nb::float_>(given) || nb::isinstance<nb::int_>(given)) {
            number = nb::cast<double>(given);
        } else if (!nb::try_cast(given, array)) {
            throw nb::type_error("a special function takes a number or an array of numbers");
        } else {
            is_array = true;
        }
    }
    double at(std::size_t i) const { return is_array ? array.data()[i] : number; }

    Reals array;
    double number = 0;
    bool is_array = false;
};

bool same_shape(const Reals& a, const Reals& b) {
    bool same = a.ndim() == b.ndim();
    for (std::size_t i = 0; same && i < a.ndim(); ++i) same = a.shape(i) == b.shape(i);
    return same;
}

template <class F> nb::object map(const Argument& a, const Argument& b, F&& f) {
    if (!a.is_array && !b.is_array) return nb::float_(f(a.number, b.number));
    if (a.is_array && b.is_array && !same_shape(a.array, b.array))
        throw nb::value_error("two arrays must have the same shape");
    const Reals& like = a.is_array ? a.array : b.array;
    std::vector<std::size_t> shape(like.ndim());
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = like.shape(i);
    std::vector<double> out(like.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(a.at(i), b.at(i));
    return to_numpy(std::move(out), shape);
}

// A function that is defined from 0 on.
template <class F> nb::object of_positive(const char* name, nb::handle x, F&& f) {
    return map(Argument(x), Argument(nb::float_(0.)), [&](double v, double) {
        if (v < 0) throw nb::value_error((std::string(name) + " is for numbers from 0 on, not " + std::to_string(v)).c_str());
        return f(v);
    });
}

}  // namespace

void bind_special(nb::module_& m) {
    m.def("lgamma", [](nb::handle x) { return of_positive("lgamma", x, log_gamma); }, "x"_a);
    m.def("digamma", [](nb::handle x) { return of_positive("digamma", x, digamma); }, "x"_a);
    m.def(
        "polygamma",
        [](int n, nb::handle x) {
            if (n < 0 || n > 20) throw nb::value_error("polygamma is for n from 0 to 20");
            return of_positive("polygamma", x, [n](double v) { return polygamma(n, v); });
        },
        "n"_a, "x"_a);
    m.def(
        "erfc",
        [](nb::handle x) {
            return map(Argument(x), Argument(nb::float_(0.)), [](double v, double) { return erfc(v); });
        },
        "x"_a);
    m.def("gamma_p", [](nb::handle a, nb::handle x) { return map(Argument(a), Argument(x), gamma_p); }, "shape"_a, "x"_a);
    m.def("gamma_q", [](nb::handle a, nb::handle x) { return map(Argument(a), Argument(x), gamma_q); }, "shape"_a, "x"_a);
    m.def(
        "chi2_sf", [](nb::handle x, nb::handle dof) { return map(Argument(x), Argument(dof), chi2_sf); }, "statistic"_a,
        "dof"_a);
    m.def(
        "chi2_isf", [](nb::handle p, nb::handle dof) { return map(Argument(p), Argument(dof), chi2_isf); }, "p"_a,
        "dof"_a);
    m.def("log_multinomial_regret", &log_multinomial_regret, "rows"_a, "cells"_a);
    m.def(
        "pearson3_sf",
        [](double statistic, double mean, double variance, double third) {
            return pearson3_sf(statistic, {mean, variance, third});
        },
        "statistic"_a, "mean"_a, "variance"_a, "third"_a);
}

}  // namespace paucal
