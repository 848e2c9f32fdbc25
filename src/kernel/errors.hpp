// What the kernel refuses, said in a sentence. Python sees ValueError and IndexError.
#pragma once
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

namespace paucal {

// Joins words and numbers.
template <class... Parts> std::string say(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

template <class... Parts> [[noreturn]] void refuse(const Parts&... parts) { throw std::invalid_argument(say(parts...)); }

inline void check_finite(const char* name, double value) {
    if (!std::isfinite(value)) refuse(name, " is ", value, "; it must be a finite number");
}

inline void check_positive(const char* name, double value) {
    if (!(value > 0 && std::isfinite(value))) refuse(name, " is ", value, "; it must be a positive number");
}

template <class Number> void check_range(const char* name, Number value, Number least, Number most) {
    if (value < least || value > most) refuse(name, " is ", value, "; it must be from ", least, " to ", most);
}

}  // namespace paucal
