// Many questions to one server at once: plain commands in one write, each with an answer of its own.
#pragma once

#include "io/query_op.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace redlatch::io {

/// Ends when all have been answered. An error that one of them gets is its answer and does not keep the others from theirs;
/// what the server did not execute (it is loading, busy ...) is asked again until the deadline.
class query_batch final : public query_op {
public:
    /// `server`: never null. In a cluster what is asked about one key follows it to another node.
    query_batch(std::shared_ptr<client_core> const& core, node* server, std::vector<std::string> commands,
                std::string subject);
    ~query_batch() override;

    /// The answers, in the order of the commands, where result() is zero.
    std::vector<resp::value> const& replies() const noexcept { return replies_; }
    /// Why the server did not execute one of them, where result() is disconnected; of no error: it did not answer.
    resp::value const& refusal() const noexcept { return refusal_; }
    std::string message() const { return query_message(server(), about(), result(), refusal_); }

private:
    bool call() override;
    bool answered() const override;
    bool on_called() override;
    bool on_answers();
    bool is_elsewhere(resp::value const& answer);
    void abandon();

    std::vector<std::string> const commands_;
    std::vector<std::size_t> asked_;                  ///< of commands_, those that are on their way
    std::vector<connection::call_ptr> calls_;         ///< theirs
    bool asking_ = false;                             ///< each is told to a node that does not have the slot yet
    std::vector<connection::call_ptr> permissions_{}; ///< ASKING before each, then
    mutable std::size_t answered_ = 0;                ///< so many of calls_ have finished: answers come in order
    std::vector<resp::value> replies_;
    resp::value refusal_; ///< why something is asked again
};

} // namespace redlatch::io
