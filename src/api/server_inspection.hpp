// What servers say of themselves, as one operation of many round trips: one server after the other, those of a cluster too.
#pragma once

#include "api/message_trial.hpp"
#include "api/rights_question.hpp"
#include "io/query_batch.hpp"

#include <redlatch/server_facts.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace redlatch::detail {

inline constexpr char const* about_servers = "asking the servers what they promise";

class server_inspection final : public io::operation {
public:
    server_inspection(std::shared_ptr<io::client_core> core, inspect_servers_options options);

    bool step() override;
    bool ready() const override;

    /// Zero: a server has answered.
    std::error_code result() const noexcept { return result_; }
    std::string const& message() const noexcept { return message_; }
    server_setup take() noexcept { return std::move(found_); }

private:
    /// Of one server; each is a round trip, but for the message.
    enum class part { facts, rights, write, time, message };

    bool begin_part();
    bool go_on_with_next_server();
    bool begin_write();
    bool begin_message();
    template <class Derive> std::optional<std::string> of_a_name_there(Derive derive);
    void on_part();
    void on_facts(std::vector<resp::value> const& replies);
    void on_rights(resp::value const& wait, resp::value const& rights);
    void on_write();
    void on_time(resp::value const& reply);
    void on_message();
    void ask(std::vector<std::string> commands);
    void refuse(std::string command, std::string const& reason);
    server_facts& now() noexcept { return found_.servers.back(); }
    void finish();

    std::shared_ptr<io::client_core> const core_;
    inspect_servers_options const options_;
    base::instant const until_;
    rights_question const rights_;

    std::vector<io::node*> servers_; ///< still to be asked; the last one is being asked
    part part_ = part::facts;
    int times_ = 0; ///< asked for
    std::optional<io::query_batch> call_{};
    std::optional<message_trial> trial_{};
    base::instant asked_at_{};
    std::chrono::microseconds asked_at_wall_{};
    std::optional<std::chrono::microseconds> shortest_{};

    server_setup found_{};
    std::error_code result_{};
    std::string message_{};
};

} // namespace redlatch::detail
