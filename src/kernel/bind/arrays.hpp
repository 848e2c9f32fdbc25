// NumPy arrays in and out of the kernel.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace paucal {

using Index = std::uint32_t;
template <class T, std::size_t Dimensions>
using Array = nanobind::ndarray<const T, nanobind::ndim<Dimensions>, nanobind::c_contig, nanobind::device::cpu>;
template <class T> using Array1 = Array<T, 1>;
template <class T> using Array2 = Array<T, 2>;

template <class T, std::size_t Dimensions> std::span<const T> span_of(const Array<T, Dimensions>& array) {
    return {array.data(), array.size()};
}

template <class T>
nanobind::object to_numpy(std::vector<T>&& values, const std::vector<std::size_t>& shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}
template <class T> nanobind::object to_numpy(std::vector<T>&& values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), std::vector<std::size_t>{n});
}

// Bytes live as long as who gave them waits.
inline std::string_view view_of(const nanobind::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
inline nanobind::bytes as_bytes(const std::string& bytes) { return nanobind::bytes(bytes.data(), bytes.size()); }

}  // namespace paucal
