// How Python watches long work of the kernel.
#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "watch.hpp"

namespace paucal {

// Somebody in Python who waits: called with the number of questions so far, and what signals bring is raised there.
inline std::optional<Watch> watch_of(nanobind::handle look) {
    if (look.is_none()) return {};
    return std::optional<Watch>(std::in_place, [look](std::uint64_t done) {
        nanobind::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        return nanobind::cast<bool>(look(done));
    });
}
// Whoever waits for a lock that long work holds must not hold Python up: that work asks Python now and then.
template <class F> auto without_gil(F&& f) {
    nanobind::gil_scoped_release release;
    return f();
}

inline Watch* address(std::optional<Watch>& watch) { return watch ? &*watch : nullptr; }

}  // namespace paucal
