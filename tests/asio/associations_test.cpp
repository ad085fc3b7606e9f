// What a handler is associated with: executor, allocator; and the rule that it never runs within the call that starts.
#include "asio/asio_fixture.hpp"

#include <array>
#include <atomic>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>
#include <pthread.h>

namespace redlatch::test {
namespace {

std::string thread_name() {
    std::array<char, 32> name{};
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    return name.data();
}

class associations_test : public asio_test {};

TEST_P(associations_test, a_handler_runs_on_its_executor) {
    running_context elsewhere;
    std::promise<bool> there;
    auto const where = elsewhere.context.get_executor();
    async_acquire(
        lock, asio::bind_executor(where, [&](asio_error, hold) { there.set_value(where.running_in_this_thread()); }));
    EXPECT_TRUE(there.get_future().get());
    std::promise<bool> refused_there;
    acquire_options const wrong{.lease = -1ms};
    async_acquire(lock, wrong, asio::bind_executor(where, [&](asio_error code, hold) {
                      EXPECT_TRUE(equals(code, errc::invalid_argument));
                      refused_there.set_value(where.running_in_this_thread());
                  }));
    EXPECT_TRUE(refused_there.get_future().get());
}

TEST_P(associations_test, a_strand_keeps_handlers_apart) {
    running_context elsewhere(4);
    auto const strand = asio::make_strand(elsewhere.context);
    constexpr int many = 200;
    std::atomic<int> inside{0};
    std::atomic<int> done{0};
    std::atomic<bool> overlapped{false};
    for (int i = 0; i < many; ++i)
        async_is_locked(lock, asio::bind_executor(strand, [&](asio_error, bool) {
                            if (++inside != 1) overlapped = true;
                            --inside;
                            ++done;
                        }));
    EXPECT_TRUE(wait_until([&] { return done == many; }));
    EXPECT_FALSE(overlapped);
    // As with Asio's own operations, whoever has handed the last handler over may still have the strand, whose context ends
    // here: the next handler of its thread runs after that.
    std::promise<void> behind;
    async_is_locked(lock, [&](asio_error, bool) { behind.set_value(); });
    behind.get_future().wait();
}

TEST_P(associations_test, without_an_executor_it_runs_on_the_clients_context_or_its_notifier_thread) {
    std::promise<std::pair<bool, std::string>> where;
    async_acquire(lock, [&](asio_error, hold) {
        where.set_value({loop.context.get_executor().running_in_this_thread(), thread_name()});
    });
    auto const [on_context, name_of_thread] = where.get_future().get();
    if (GetParam() == run_by::context)
        EXPECT_TRUE(on_context) << name_of_thread;
    else
        EXPECT_EQ(name_of_thread, "redlatch-notify");
}

TEST_P(associations_test, the_executor_has_work_until_the_handler_has_run) {
    hold held = theirs.acquire();
    asio::io_context own;
    bool called = false;
    async_acquire(lock, asio::bind_executor(own.get_executor(), [&](asio_error, hold) { called = true; }));
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    EXPECT_EQ(own.poll(), 0U);
    EXPECT_FALSE(own.stopped()) << "there is something to wait for";
    held.release();
    EXPECT_EQ(own.run(), 1U);
    EXPECT_TRUE(called);
}

TEST_P(associations_test, never_runs_within_the_call_that_starts) {
    auto const where = loop.context.get_executor();
    std::promise<int> met;
    asio::post(where, [&] {
        static thread_local bool starting = false;
        auto const inside = std::make_shared<int>(0);
        auto const count = std::make_shared<int>(0);
        auto const note = [&, inside, count] {
            if (starting) ++*inside;
            if (++*count == 4) met.set_value(*inside);
        };
        acquire_options const wrong{.lease = 0ms};
        starting = true;
        async_acquire(lock, asio::bind_executor(where, [note](asio_error, hold) { note(); }));
        async_acquire(lock, wrong, asio::bind_executor(where, [note](asio_error, hold) { note(); }));
        async_release(hold(), asio::bind_executor(where, [note](asio_error) { note(); }));
        async_is_locked(lock, asio::bind_executor(where, [note](asio_error, bool) { note(); }));
        starting = false;
    });
    EXPECT_EQ(met.get_future().get(), 0);
}

struct memory_use {
    std::atomic<int> asked{0};
    std::atomic<long> in_use{0};
};

template <class T> struct counting {
    using value_type = T;
    explicit counting(memory_use& what) noexcept : use(&what) {}
    template <class Other> counting(counting<Other> const& other) noexcept : use(other.use) {}
    T* allocate(std::size_t count) {
        ++use->asked;
        use->in_use += static_cast<long>(count * sizeof(T));
        return std::allocator<T>().allocate(count);
    }
    void deallocate(T* what, std::size_t count) noexcept {
        use->in_use -= static_cast<long>(count * sizeof(T));
        std::allocator<T>().deallocate(what, count);
    }
    friend bool operator==(counting const& left, counting const& right) noexcept { return left.use == right.use; }
    memory_use* use;
};

TEST_P(associations_test, memory_comes_from_the_allocator_and_is_back_before_the_handler_runs) {
    hold held = theirs.acquire();
    memory_use use;
    std::promise<long> at_the_end;
    async_acquire(lock,
                  asio::bind_allocator(counting<char>(use), asio::bind_executor(loop.context, [&](asio_error, hold) {
                                           at_the_end.set_value(use.in_use);
                                       })));
    EXPECT_GT(use.asked, 0);
    EXPECT_GT(use.in_use, 0) << "while it waits";
    held.release();
    EXPECT_EQ(at_the_end.get_future().get(), 0);
}

REDLATCH_FOR_BOTH(associations_test);

} // namespace
} // namespace redlatch::test
