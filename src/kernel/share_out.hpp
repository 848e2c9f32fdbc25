// Work shared between threads.
#pragma once
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "errors.hpp"

namespace paucal {

inline constexpr int kMostThreads = 1024;
inline void check_threads(int threads) { check_range("threads", threads, 1, kMostThreads); }

// Hands out work by index; `work(thread, index)` must not depend on who does it or when. What it throws is thrown here
// after all threads have ended; if the system gives fewer threads, the others do the work.
template <class F> void share_out(std::size_t n, int threads, F&& work) {
    if (threads <= 1) {
        for (std::size_t i = 0; i < n; ++i) work(0, i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto run = [&](int thread) {
        try {
            for (std::size_t i; (i = next.fetch_add(1)) < n;) work(thread, i);
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
            next.store(n);
        }
    };
    std::vector<std::thread> pool;
    pool.reserve(static_cast<std::size_t>(threads));
    try {
        for (int t = 1; t < threads; ++t) pool.emplace_back(run, t);
    } catch (const std::system_error&) {
    }
    run(0);
    for (auto& thread : pool) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace paucal
