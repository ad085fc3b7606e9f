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

/// Ends when all have answered, and fails, with the failure of the first member that failed, when fewer are given back than the
/// lock needs: who had a majority of masters has given it back although one of them is away, or has forgotten the lock. It
/// cannot be cancelled. Thread-safe.
class joint_release final : public joint_work, public std::enable_shared_from_this<joint_release> {
public:
    /// `subject`: of messages. `needed`: how many of the releases have to succeed; where there are fewer holds, all of them.
    joint_release(std::vector<hold> holds, std::size_t needed, std::string subject);
    /// What was not begun is given back in the background.
    ~joint_release() override;

    void begin();
    void end_early(errc reason) noexcept override;

private:
    class answer;
    void on_answer(std::size_t member, outcome const& member_outcome) noexcept;
    bool enough() const noexcept { return released_ >= needed_; }

    std::string const subject_;
    std::vector<hold> holds_; ///< of begin()
    std::size_t const needed_;

    std::mutex mutex_; // guards what follows
    std::size_t pending_;
    std::size_t released_ = 0;
    std::vector<outcome> failures_;
    bool finished_ = false;
};

} // namespace redlatch::detail
