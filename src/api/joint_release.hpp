// Gives several holds back at the same time.
#pragma once

#include "api/joint_wait.hpp"

#include <redlatch/completion.hpp>
#include <redlatch/hold.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace redlatch::detail {

/// Ends when all are given back, with the failure of the first member that failed. It cannot be cancelled. Thread-safe.
class joint_release final : public joint_work, public std::enable_shared_from_this<joint_release> {
public:
    /// `subject`: of messages.
    joint_release(std::vector<hold> holds, std::string subject);
    /// What was not begun is given back in the background.
    ~joint_release() override;

    void begin();
    void end_early(errc why) noexcept override;

private:
    class answer;
    void on_answer(std::size_t member, outcome const& how) noexcept;

    std::string const subject_;
    std::vector<hold> holds_; ///< of begin()

    std::mutex mutex_; // guards what follows
    std::size_t pending_;
    std::vector<outcome> failures_;
    bool finished_ = false;
};

} // namespace redlatch::detail
