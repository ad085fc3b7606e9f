// Clients, locks and holds whose blocking calls go through the asynchronous face in the variant `asynchronous`: what a suite
// asks of one face it asks of the other too. What has no asynchronous twin (lock(), destructors) stays as it is.
#pragma once

#include "support/variant.hpp"

#include <redlatch/completion.hpp>
#include <redlatch/redlatch.hpp>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace redlatch::test {

/// How an asynchronous operation ended.
template <class... Values> struct ending {
    std::error_code code{};
    std::string message{};
    std::tuple<Values...> values{};

    void must_succeed() const {
        if (code) throw error(static_cast<errc>(code.value()), message);
    }
};

/// `start(done)` starts it; waits for the end, which comes on the client's I/O thread.
template <class... Values, class Start> ending<Values...> ended(Start start) {
    using promise = std::promise<ending<Values...>>;
    struct keeper final : completion<Values...> {
        explicit keeper(std::shared_ptr<promise> whom) : result(std::move(whom)) {}
        void complete(redlatch::outcome const& how, Values... what) noexcept override {
            ending<Values...> end{how.code(), how.failed() ? how.message() : std::string(), {std::move(what)...}};
            auto const whom = std::move(result);
            delete this;
            whom->set_value(std::move(end));
        }
        void discard() noexcept override { delete this; } // the caller has the outcome, and has taken us back
        std::shared_ptr<promise> result;
    };
    auto const result = std::make_shared<promise>();
    auto future = result->get_future();
    completion_ptr<Values...> done(new keeper(result));
    if (std::optional<redlatch::outcome> const now = start(done)) return {now->code(), now->message(), {}};
    return future.get();
}

/// The one value that it ended with; throws error.
template <class Value> Value value_of(ending<Value> end) {
    end.must_succeed();
    return std::get<0>(std::move(end.values));
}
template <class Value, class Start> Value answered(Start start) {
    return value_of(ended<Value>(start));
}

inline bool asynchronously() {
    static bool const chosen = in_variant("asynchronous");
    return chosen;
}

class [[nodiscard]] hold : public redlatch::hold {
public:
    hold() noexcept = default;
    explicit(false) hold(redlatch::hold&& other) noexcept : redlatch::hold(std::move(other)) {}

    void release() {
        if (!asynchronously()) return redlatch::hold::release();
        ended<>([&](completion_ptr<>& done) { return start_release(done); }).must_succeed();
    }
    void release(std::error_code& ec) noexcept {
        if (!asynchronously()) return redlatch::hold::release(ec);
        ec = ended<>([&](completion_ptr<>& done) { return start_release(done); }).code;
    }
};

/// A lock of any kind.
template <class Kind> class both_faced : public Kind {
public:
    explicit(false) both_faced(Kind other) noexcept : Kind(std::move(other)) {}

    hold acquire(acquire_options const& options = {}) {
        if (!asynchronously()) return Kind::acquire(options);
        return value_of(started(options));
    }
    hold acquire(acquire_options const& options, std::error_code& ec) {
        if (!asynchronously()) return Kind::acquire(options, ec);
        auto end = started(options);
        ec = end.code;
        return std::get<0>(std::move(end.values));
    }
    std::optional<hold> try_acquire(acquire_options const& options = {}) {
        if (!asynchronously()) return Kind::try_acquire(options);
        auto end = tried(options);
        if (end.code == errc::busy || end.code == errc::timed_out) return std::nullopt;
        return value_of(std::move(end));
    }
    std::optional<hold> try_acquire(acquire_options const& options, std::error_code& ec) {
        if (!asynchronously()) return Kind::try_acquire(options, ec);
        auto end = tried(options);
        ec = end.code;
        if (ec) return std::nullopt;
        return std::get<0>(std::move(end.values));
    }
    bool is_locked() {
        if (!asynchronously()) return Kind::is_locked();
        return answered<bool>([&](completion_ptr<bool>& done) { return this->start_is_locked(done); });
    }
    std::optional<duration> remaining_lease() {
        if (!asynchronously()) return Kind::remaining_lease();
        using lease = std::optional<duration>;
        return answered<lease>([&](completion_ptr<lease>& done) { return this->start_remaining_lease(done); });
    }
    lock_info inspect(look_options const& options = {}) {
        if (!asynchronously()) return Kind::inspect(options);
        return answered<lock_info>([&](completion_ptr<lock_info>& done) { return this->start_inspect(done, options); });
    }
    bool force_unlock() {
        if (!asynchronously()) return Kind::force_unlock();
        return answered<bool>([&](completion_ptr<bool>& done) { return this->start_force_unlock(done); });
    }

private:
    /// As of a call that blocks: nobody goes on on another thread.
    static acquire_options of_this_thread(acquire_options options) {
        if (!options.owner) options.owner = owner::this_thread();
        return options;
    }
    ending<redlatch::hold> started(acquire_options const& options) {
        return ended<redlatch::hold>(
            [&](completion_ptr<redlatch::hold>& done) { return this->start_acquire(of_this_thread(options), done); });
    }
    ending<redlatch::hold> tried(acquire_options const& options) {
        return ended<redlatch::hold>([&](completion_ptr<redlatch::hold>& done) {
            return this->start_try_acquire(of_this_thread(options), done);
        });
    }
};

using reentrant_lock = both_faced<redlatch::reentrant_lock>;
using any_lock = both_faced<redlatch::basic_lock>;

class client : public redlatch::client {
public:
    using redlatch::client::client;

    reentrant_lock get_lock(std::string const& name, lock_options const& options = {}) {
        return redlatch::client::get_lock(name, options);
    }
    std::vector<lock_info> list_locks(std::string_view pattern = "*", look_options const& options = {}) {
        if (!asynchronously()) return redlatch::client::list_locks(pattern, options);
        using locks = std::vector<lock_info>;
        return answered<locks>([&](completion_ptr<locks>& done) { return start_list_locks(pattern, done, options); });
    }
    server_info ping() {
        if (!asynchronously()) return redlatch::client::ping();
        return answered<server_info>([&](completion_ptr<server_info>& done) { return start_ping(done); });
    }
    server_setup inspect_servers(inspect_servers_options const& options = {}) {
        if (!asynchronously()) return redlatch::client::inspect_servers(options);
        return answered<server_setup>(
            [&](completion_ptr<server_setup>& done) { return start_inspect_servers(done, options); });
    }
};

} // namespace redlatch::test
