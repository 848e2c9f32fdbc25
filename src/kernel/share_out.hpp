// Work shared between threads.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "errors.hpp"
#include "watch.hpp"

namespace paucal {

inline constexpr int kMostThreads = 1024;
inline void check_threads(int threads) { check_range("threads", threads, 1, kMostThreads); }

// Hands out work by index; `work(thread, index)` must not depend on who does it or when. What it throws is thrown here
// after all threads have ended; if the system gives fewer threads, the others do the work. With several threads and
// somebody who watches, the calling thread does nothing but look. When who watches has ended it, nothing more is begun,
// unless `every` piece is to be: then the work must end itself.
template <class F>
void share_out(std::size_t n, int threads, F&& work, Watch* watch = nullptr, bool every = false) {
    const auto goes_on = [&] { return every || !(watch && watch->stopped()); };
    if (threads <= 1) {
        for (std::size_t i = 0; i < n && goes_on(); ++i) work(0, i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    std::condition_variable ended;
    std::size_t running = 0;
    const auto fail = [&] {
        const std::lock_guard lock(failing);
        if (!failure) failure = std::current_exception();
        next.store(n);
    };
    const auto run = [&](int thread) {
        try {
            for (std::size_t i; goes_on() && (i = next.fetch_add(1)) < n;) work(thread, i);
        } catch (...) {
            fail();
        }
    };
    const auto run_and_tell = [&](int thread) {
        run(thread);
        const std::lock_guard lock(failing);
        --running;
        ended.notify_one();
    };
    std::vector<std::thread> pool;
    pool.reserve(static_cast<std::size_t>(threads));
    try {
        for (int t = watch ? 0 : 1; t < threads; ++t) {
            {
                const std::lock_guard lock(failing);
                ++running;
            }
            pool.emplace_back(run_and_tell, t);
        }
    } catch (const std::system_error&) {
        const std::lock_guard lock(failing);
        --running;
    }
    if (!watch || pool.empty()) run(0);
    if (watch) try {
            for (std::unique_lock lock(failing); running > 0;) {
                if (ended.wait_for(lock, Watch::kEvery) != std::cv_status::timeout) continue;
                lock.unlock();
                watch->look();
                lock.lock();
            }
        } catch (...) {
            fail();
        }
    for (auto& thread : pool) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace paucal
