// A source of credentials that change, for config::credentials.
#pragma once

#include <redlatch/credentials.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

namespace redlatch::test {

/// Whoever knows the credentials, as Vault does. A question may outlast the client that has asked it.
class vault {
public:
    std::function<redlatch::credentials()> source() const {
        return [state = state_]() -> redlatch::credentials {
            std::unique_lock held(state->mutex);
            ++state->asked;
            state->open.wait(held, [&] { return !state->shut; });
            if (state->failures > 0) {
                --state->failures;
                throw std::runtime_error("the vault is sealed");
            }
            redlatch::credentials answer{.username = "locks", .password = state->password};
            if (state->valid_for > std::chrono::milliseconds(0))
                answer.expires = std::chrono::system_clock::now() + state->valid_for;
            return answer;
        };
    }

    int asked() const {
        std::lock_guard const held(state_->mutex);
        return state_->asked;
    }
    void set_password(std::string password) const {
        std::lock_guard const held(state_->mutex);
        state_->password = std::move(password);
    }
    void set_validity(std::chrono::milliseconds time) const {
        std::lock_guard const held(state_->mutex);
        state_->valid_for = time;
    }
    void fail(int times) const {
        std::lock_guard const held(state_->mutex);
        state_->failures = times;
    }
    /// Whoever asks gets no answer until open().
    void shut() const {
        std::lock_guard const held(state_->mutex);
        state_->shut = true;
    }
    void open() const {
        std::lock_guard const held(state_->mutex);
        state_->shut = false;
        state_->open.notify_all();
    }

private:
    struct state {
        std::mutex mutex;
        std::condition_variable open;
        int asked = 0;
        int failures = 0;
        bool shut = false;
        std::string password = "first";
        std::chrono::milliseconds valid_for{0};
    };
    std::shared_ptr<state> const state_ = std::make_shared<state>();
};

} // namespace redlatch::test
