// Batches of questions to servers, one after the other, as one operation: what the next one asks follows from the answers.
#pragma once

#include "io/query_batch.hpp"

#include <redlatch/error.hpp>

#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace redlatch::detail {

class batch_series : public io::operation {
public:
    bool step() final;
    bool ready() const final;

    std::error_code result() const noexcept { return result_; }
    std::string const& message() const noexcept { return message_; }

protected:
    explicit batch_series(std::shared_ptr<io::client_core> core) : core_(std::move(core)) {}

    /// Calls send(). False: nothing is left to ask.
    virtual bool ask() = 0;
    /// To the batch that was sent. An error that it throws is the result, and nothing more is asked.
    virtual void on_answers(std::vector<resp::value> const& answers) = 0;

    void send(io::node& server, std::vector<std::string> commands, char const* subject);
    void fail(error const& problem);
    std::shared_ptr<io::client_core> const& core() const noexcept { return core_; }

private:
    void read();

    std::shared_ptr<io::client_core> const core_;
    std::optional<io::query_batch> call_{};
    std::error_code result_{};
    std::string message_{};
};

} // namespace redlatch::detail
