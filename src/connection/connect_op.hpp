// What is said on a new connection before anything else, in one round trip.
//
//     [AUTH] [CLIENT SETNAME] [SELECT] CLIENT INFO, INFO              (connections that carry calls)
//     [AUTH] [CLIENT SETNAME] [SELECT] PING                           (the subscriber's)
// Where others say which server is the master: ROLE behind it.
//
// | state    | event              | next                                                                        |
// |----------|--------------------|-----------------------------------------------------------------------------|
// | greeting | a reply            | the next one due; a refusal of AUTH or SELECT fails at once                 |
// | greeting | INFO: a replica    | fails, and trying again may help: the address may soon be that of a master  |
// | greeting | ROLE: no master    | the same                                                                    |
// | greeting | INFO: a cluster's  | fails where none is wanted, as a single server does where one is; so does a |
// |          | node               | Sentinel                                                                    |
// | greeting | the last reply     | ready                                                                       |
// CLIENT INFO and INFO may be refused (a user without the right): the identity is then unknown, and kills count as refused.
#pragma once

#include "connection/identity.hpp"
#include "resp/value.hpp"

#include <redlatch/error.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace redlatch::connection {

struct greeting {
    std::string username{};
    std::string password{};
    std::string client_name{};
    int database = 0;
    bool identify = true;     ///< learn who we are, for predecessor kills
    bool only_master = false; ///< others say that it is the master: not even a replica that takes writes will do
    bool of_cluster = false;  ///< a node of a cluster is wanted; a replica will do, which sends calls to its master
    bool to_sentinel = false; ///< for messages: user and password are those of the Sentinels
};

class connect_op {
public:
    enum class progress { more, ready, failed };

    explicit connect_op(greeting const& words);

    /// All commands; send them at once.
    std::string const& bytes() const noexcept { return bytes_; }
    progress on_reply(resp::value const& reply);

    identity const& self() const noexcept { return self_; }
    /// After failed: why; trying again soon does not help with server_refused.
    errc reason() const noexcept { return reason_; }
    std::string const& problem() const noexcept { return problem_; }

private:
    enum class step { auth, set_name, select, client_info, server_info, ping, role };
    static std::string_view name_of(step asked) noexcept;
    progress fail(errc reason, std::string problem);
    progress read(step requested, resp::value const& reply);
    progress read_info(std::string_view text);
    progress read_role_reply(resp::value const& reply);
    progress refuse_replica(std::string const& master);
    std::string refusal_of_database(resp::value const& reply) const;

    bool const of_cluster_;
    bool const only_master_;
    bool const to_sentinel_;
    std::string const password_; ///< not to be shown
    std::vector<step> due_;
    std::size_t next_ = 0;
    std::string bytes_;
    identity self_;
    errc reason_ = errc::disconnected;
    std::string problem_;
};

/// Of Redis 5 too, where there is no user.
std::string auth_command(std::string const& username, std::string const& password);

/// "id=3 addr=127.0.0.1:4321 ..." and "run_id:abc\r\n...": the value of a field, or an empty view.
std::string_view info_field(std::string_view text, std::string_view key, char assign, std::string_view separators);

} // namespace redlatch::connection
