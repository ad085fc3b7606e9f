// What asks the server something and waits for the answer: sent, answered or asked again after a pause, until a deadline.
//
// | stage     | event                                                  | next                                                |
// |-----------|--------------------------------------------------------|-----------------------------------------------------|
// | beginning |                                                        | call() -> calling                                   |
// | calling   | answered                                               | on_called(): finished, or, where it was not         |
// |           |                                                        | executed or is another node's, ask_again()          |
// | calling   | unanswered: the deadline; cancelled; closed            | finished: disconnected, cancelled, closed           |
// | calling   | ask_again(), whose pause ends before the deadline      | pausing                                             |
// | calling   | ask_again(), whose pause does not                      | finished: disconnected                              |
// | pausing   | the pause is over                                      | call() -> calling                                   |
// | pausing   | cancelled; closed                                      | finished: cancelled, closed                         |
#pragma once

#include "io/client_core.hpp"
#include "io/operation.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace redlatch::io {

class query_op : public operation {
public:
    bool step() final;
    bool ready() const final;

    /// Zero: the server has answered.
    std::error_code result() const noexcept { return result_; }

protected:
    /// The deadline is the client's timeout from now.
    query_op(std::shared_ptr<client_core> core, node& server, std::string subject);

    /// Sends it, and suspends.
    virtual bool call() = 0;
    /// There is something for on_called() to see.
    virtual bool answered() const = 0;
    virtual bool on_called() = 0;

    client_core& core() const noexcept { return *core_; }
    node& server() const noexcept { return *server_; }
    void ask_at(node& server) noexcept { server_ = &server; }
    std::string const& about() const noexcept { return about_; }
    /// An exception has ended it: whoever derives gives up its calls.
    bool is_cut_short() const noexcept { return stage_ != stage::finished && !core_->forked(); }
    bool wait_for_answer(lane& lane) { return suspend(&lane, deadline_); }
    bool waits_no_longer(base::instant now) const { return now >= deadline_ || core_->closed() || cancelled(); }
    /// Nothing has come of it: the client was closed, it was cancelled, or the server did not answer.
    bool finish_unanswered();
    /// The server did not execute it: after a pause, if there is time.
    static constexpr base::milliseconds refused{100};
    static constexpr base::milliseconds redirected{1}; ///< no longer, and not at once: nodes may disagree for a moment
    bool ask_again(base::instant now, base::milliseconds pause = refused);
    bool finish(std::error_code code);

private:
    enum class stage { beginning, calling, pausing, finished };
    bool send();

    std::shared_ptr<client_core> core_;
    node* server_;
    std::string const about_;
    base::instant const deadline_;
    stage stage_ = stage::beginning;
    std::error_code result_;
};

/// Why what `subject` says was not done; `reply`: what the server said to it, if anything; `kind`: what the key was to be;
/// `call`: the bytes of what was asked, empty: they are not known.
std::string query_message(node& server, std::string const& subject, std::error_code code, resp::value const& reply,
                          std::string_view kind = "lock", std::string_view call = {});

} // namespace redlatch::io
