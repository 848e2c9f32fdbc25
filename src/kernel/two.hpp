// Two numbers that are computed with at once: the same formula for the rows and for the columns of a table.
#pragma once

namespace paucal {

#if defined(__GNUC__)
using Two = double __attribute__((vector_size(16)));
#else
struct Two {
    double value[2];
    double operator[](int i) const { return value[i]; }
    friend Two operator+(Two a, Two b) { return {a[0] + b[0], a[1] + b[1]}; }
    friend Two operator-(Two a, Two b) { return {a[0] - b[0], a[1] - b[1]}; }
    friend Two operator*(Two a, Two b) { return {a[0] * b[0], a[1] * b[1]}; }
    friend Two operator/(Two a, Two b) { return {a[0] / b[0], a[1] / b[1]}; }
    friend Two operator+(Two a, double b) { return a + Two{b, b}; }
    friend Two operator-(Two a, double b) { return a - Two{b, b}; }
    friend Two operator*(double a, Two b) { return Two{a, a} * b; }
    friend Two operator/(double a, Two b) { return Two{a, a} / b; }
    Two& operator+=(Two b) { return *this = *this + b; }
    Two& operator-=(Two b) { return *this = *this - b; }
};
#endif

}  // namespace paucal
