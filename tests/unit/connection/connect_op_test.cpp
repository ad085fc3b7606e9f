#include "connection/connect_op.hpp"
#include "scripted/failure_at_every_step.hpp"
#include "scripted/replies.hpp"

#include <gmock/gmock.h>

namespace redlatch::connection {
namespace {

using scripted::array;
using scripted::commands_in;
using scripted::error;
using scripted::integer;
using scripted::nil;
using scripted::status;
using scripted::string;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using progress = connect_op::progress;

greeting const full{"ann", "secret", "till-3", 5, true};
constexpr char const* client_info = "id=17 addr=127.0.0.1:51234 laddr=127.0.0.1:6379 fd=8 name=till-3 db=5\n";
constexpr char const* server_info = "# Server\r\nredis_version:7.0.15\r\nrun_id:0123456789abcdef\r\ntcp_port:6379\r\n";

TEST(connect_op, says_everything_at_once_in_an_order_that_works) {
    EXPECT_THAT(commands_in(connect_op(full).bytes()),
                ElementsAre("AUTH ann secret", "CLIENT SETNAME till-3", "SELECT 5", "CLIENT INFO", "INFO"));
}

TEST(connect_op, says_no_more_than_it_must) {
    EXPECT_THAT(commands_in(connect_op(greeting{}).bytes()), ElementsAre("CLIENT INFO", "INFO"));
    EXPECT_THAT(commands_in(connect_op({.identify = false}).bytes()), ElementsAre("PING"));
    EXPECT_THAT(commands_in(connect_op({.password = "secret", .identify = false}).bytes()),
                ElementsAre("AUTH secret", "PING"));
}

TEST(connect_op, names_a_user_without_a_password_too) {
    auto const words = scripted::words_in(connect_op({.username = "ann", .identify = false}).bytes());
    EXPECT_THAT(words.front(), ElementsAre("AUTH", "ann", "")) << "it would be the default user, with other rights";
}

TEST(connect_op, selects_every_database_but_the_one_that_a_connection_begins_with) {
    EXPECT_THAT(commands_in(connect_op({.database = 0, .identify = false}).bytes()), ElementsAre("PING"));
    EXPECT_THAT(commands_in(connect_op({.database = 1, .identify = false}).bytes()), ElementsAre("SELECT 1", "PING"));
}

TEST(connect_op, sends_odd_words_as_they_are) {
    std::string const odd("a b\r\n\0$3", 8);
    auto const words = scripted::words_in(connect_op({.username = odd, .password = odd}).bytes());
    EXPECT_THAT(words.front(), ElementsAre("AUTH", odd, odd));
}

/// The whole greeting. Its lines are answered in order.
std::vector<resp::value> const good_answers{status("OK"), status("OK"), status("OK"), string(client_info),
                                            string(server_info)};

TEST(connect_op, is_ready_after_the_last_answer_and_knows_who_it_is) {
    connect_op op(full);
    for (std::size_t i = 0; i + 1 < good_answers.size(); ++i) EXPECT_EQ(op.on_reply(good_answers[i]), progress::more);
    EXPECT_EQ(op.on_reply(good_answers.back()), progress::ready);
    EXPECT_EQ(op.self().client_id, 17);
    EXPECT_EQ(op.self().address, "127.0.0.1:51234");
    EXPECT_EQ(op.self().server, "127.0.0.1:6379");
    EXPECT_EQ(op.self().run_id, "0123456789abcdef");
    EXPECT_EQ(op.self().software, "redis");
    EXPECT_EQ(op.self().version, "7.0.15");
    EXPECT_TRUE(op.self().known());
}

TEST(connect_op, tells_valkey_from_the_redis_version_that_it_claims) {
    connect_op op(greeting{});
    op.on_reply(string(client_info));
    op.on_reply(string("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\nrun_id:a\r\n"));
    EXPECT_EQ(op.self().software, "valkey");
    EXPECT_EQ(op.self().version, "8.0.1");
}

struct ending {
    progress then;
    errc reason;
    std::string problem;
    bool known;
};

/// Answers the greeting, with `wrong` in place of the answer at `position`.
ending answer_with(std::size_t position, resp::value const& wrong) {
    connect_op op(full);
    auto last = progress::more;
    for (std::size_t i = 0; i < good_answers.size() && last == progress::more; ++i)
        last = op.on_reply(i == position ? wrong : good_answers[i]);
    return {last, op.reason(), op.problem(), op.self().known()};
}

TEST(connect_op, meets_an_error_at_every_step) {
    ending const expected[] = {
        {progress::failed, errc::server_refused, "user name or password", false},
        {progress::ready, errc::disconnected, "", true}, // a name is a nicety
        {progress::failed, errc::server_refused, "database", false},
        {progress::ready, errc::disconnected, "",
         false}, // who we are stays unknown: predecessor kills count as refused
        {progress::ready, errc::disconnected, "", false},
    };
    for (std::size_t step = 0; step < good_answers.size(); ++step) {
        SCOPED_TRACE(step);
        auto const seen = answer_with(step, error("WRONGPASS or whatever"));
        EXPECT_EQ(seen.then, expected[step].then);
        EXPECT_EQ(seen.known, expected[step].known);
        if (seen.then != progress::failed) continue;
        EXPECT_EQ(seen.reason, expected[step].reason);
        EXPECT_THAT(seen.problem, HasSubstr(expected[step].problem));
        EXPECT_THAT(seen.problem, HasSubstr("WRONGPASS or whatever")) << "the server's own words";
    }
}

TEST(connect_op, tells_a_missing_right_to_select_from_a_database_that_is_not_there) {
    for (auto const* const said : {"NOPERM this user has no permissions to run the 'select' command",
                                   "NOPERM User locks has no permissions to run the 'select' command"}) {
        auto const seen = answer_with(2, error(said));
        EXPECT_EQ(seen.reason, errc::server_refused);
        EXPECT_THAT(seen.problem, HasSubstr("the right +select"));
        EXPECT_THAT(seen.problem, ::testing::Not(HasSubstr("check the database number")));
    }
    for (auto const* const said :
         {"ERR DB index is out of range", "ERR unknown command 'SELECT'", "NOPERM No permissions to access database"}) {
        auto const seen = answer_with(2, error(said));
        EXPECT_THAT(seen.problem, HasSubstr("check the database number")) << said;
        EXPECT_THAT(seen.problem, ::testing::Not(HasSubstr("+select"))) << said;
    }
}

TEST(connect_op, says_that_a_password_is_wanted_and_where_to_set_it) {
    for (std::size_t step : {std::size_t{3}, std::size_t{4}}) {
        auto const seen = answer_with(step, error("NOAUTH Authentication required."));
        EXPECT_EQ(seen.then, progress::failed);
        EXPECT_EQ(seen.reason, errc::server_refused);
        EXPECT_THAT(seen.problem, HasSubstr("password"));
    }
    connect_op ping({.identify = false});
    EXPECT_EQ(ping.on_reply(error("NOAUTH Authentication required.")), progress::failed);
    EXPECT_EQ(ping.reason(), errc::server_refused);
}

TEST(connect_op, names_the_fields_of_the_sentinels_where_it_is_one) {
    greeting const words{.password = "secret", .identify = false, .to_sentinel = true};
    connect_op wrong(words);
    EXPECT_EQ(wrong.on_reply(error("WRONGPASS no")), progress::failed);
    EXPECT_THAT(wrong.problem(), HasSubstr("check topology.sentinel_username and sentinel_password"));
    connect_op none({.identify = false, .to_sentinel = true});
    EXPECT_EQ(none.on_reply(error("NOAUTH Authentication required.")), progress::failed);
    EXPECT_THAT(none.problem(), HasSubstr("set topology.sentinel_password"));
}

/// Of a server that others call the master: ROLE, as it answers it.
ending answer_role(resp::value const& role) {
    connect_op op({.identify = false, .only_master = true});
    EXPECT_THAT(commands_in(op.bytes()), ElementsAre("PING", "ROLE"));
    EXPECT_EQ(op.on_reply(status("PONG")), progress::more);
    auto const then = op.on_reply(role);
    return {then, op.reason(), op.problem(), false};
}

TEST(connect_op, asks_who_is_called_the_master_whether_it_is) {
    EXPECT_EQ(answer_role(array({string("master"), integer(1), array({})})).then, progress::ready);
    EXPECT_EQ(answer_role(error("NOPERM")).then, progress::ready) << "INFO has to do";
    auto const replica = answer_role(array({string("slave"), string("10.0.0.1"), integer(6379)}));
    EXPECT_EQ(replica.then, progress::failed);
    EXPECT_EQ(replica.reason, errc::disconnected) << "it may be the master soon";
    EXPECT_THAT(replica.problem, HasSubstr("is a replica and not the master"));
    EXPECT_THAT(replica.problem, HasSubstr("its master is at 10.0.0.1:6379"));
    EXPECT_THAT(answer_role(array({string("slave")})).problem, HasSubstr("an address that it does not tell"));
    EXPECT_EQ(answer_role(array({string("sentinel"), array({})})).then, progress::failed);
}

TEST(connect_op, refuses_a_replica_that_takes_writes_where_others_call_it_the_master) {
    auto const info = string("run_id:a\r\nrole:slave\r\nslave_read_only:0\r\n");
    connect_op alone(greeting{});
    alone.on_reply(string(client_info));
    EXPECT_EQ(alone.on_reply(info), progress::ready);
    connect_op named({.only_master = true});
    named.on_reply(string(client_info));
    EXPECT_EQ(named.on_reply(info), progress::failed);
}

TEST(connect_op, does_not_blame_the_password_when_the_server_turns_everybody_down) {
    for (char const* said : {"ERR max number of clients reached", "LOADING Redis is loading the dataset in memory",
                             "DENIED Redis is running in protected mode"}) {
        auto const seen = answer_with(0, error(said));
        EXPECT_EQ(seen.then, progress::failed);
        EXPECT_EQ(seen.reason, errc::disconnected) << "trying again may help: " << said;
        EXPECT_THAT(seen.problem, HasSubstr(said));
        EXPECT_THAT(seen.problem, ::testing::Not(HasSubstr("password")));
    }
}

TEST(connect_op, blames_the_password_in_the_words_of_every_version) {
    for (char const* said : {"WRONGPASS invalid username-password pair or user is disabled.", "ERR invalid password",
                             "ERR Client sent AUTH, but no password is set",
                             "ERR AUTH <password> called without any password configured for the default user. Are you "
                             "sure your configuration is correct?"}) {
        auto const seen = answer_with(0, error(said));
        EXPECT_EQ(seen.reason, errc::server_refused) << said;
        EXPECT_THAT(seen.problem, HasSubstr("check username and password")) << said;
    }
}

TEST(connect_op, shows_what_every_password_is_told) {
    for (char const* password : {"password", "user", "invalid"}) {
        connect_op op({.username = "ann", .password = password});
        EXPECT_EQ(op.on_reply(error("WRONGPASS invalid username-password pair or user is disabled.")),
                  progress::failed);
        EXPECT_THAT(op.problem(), HasSubstr("WRONGPASS invalid username-password pair")) << password;
    }
}

TEST(connect_op, never_shows_the_password) {
    for (char const* said : {"ERR unknown command 'AUTH', with args beginning with: 'ann' 'secret' ",
                             "ERR unknown command `AUTH`, with args beginning with: `ann`, `secret`, ",
                             "ERR bad AUTH: secret", "ERR secret is not what it was"}) {
        auto const seen = answer_with(0, error(said));
        EXPECT_EQ(seen.then, progress::failed);
        EXPECT_THAT(seen.problem, ::testing::Not(HasSubstr("secret"))) << said;
    }
    auto const seen = answer_with(0, error("ERR unknown command 'AUTH', with args beginning with: 'ann' 'secret' "));
    EXPECT_THAT(seen.problem, HasSubstr("(ERR unknown command 'AUTH')")) << "what is wrong is shown";
    std::string const longer(40, 'x');
    connect_op op({.username = "ann", .password = longer});
    EXPECT_EQ(op.on_reply(error("ERR AUTH? " + longer.substr(0, 32) + "...")), progress::failed);
    EXPECT_THAT(op.problem(), ::testing::Not(HasSubstr("xxxx"))) << "cut short by the server";
}

TEST(connect_op, knows_a_peer_that_is_no_redis_by_its_answers) {
    for (auto const& wrong : {integer(1), nil(), array({})}) {
        for (std::size_t step : {std::size_t{3}, std::size_t{4}}) {
            auto const seen = answer_with(step, wrong);
            EXPECT_EQ(seen.then, progress::failed);
            EXPECT_EQ(seen.reason, errc::bad_reply);
        }
    }
    for (auto const& wrong : {integer(1), nil()}) {
        connect_op ping({.identify = false});
        EXPECT_EQ(ping.on_reply(wrong), progress::failed);
        EXPECT_EQ(ping.reason(), errc::bad_reply);
    }
}

TEST(connect_op, is_ready_after_the_subscribers_ping) {
    connect_op op({.password = "secret", .identify = false});
    EXPECT_EQ(op.on_reply(status("OK")), progress::more);
    EXPECT_EQ(op.on_reply(status("PONG")), progress::ready);
    EXPECT_FALSE(op.self().known());
}

TEST(connect_op, does_not_know_itself_from_texts_that_do_not_say_it) {
    for (char const* odd : {"", "id=", "id=abc addr=127.0.0.1:1", "addr=127.0.0.1:1", "id=17", "bid=17 xaddr=1",
                            "id=99999999999999999999 addr=127.0.0.1:1", "id=-4 addr=127.0.0.1:1"}) {
        connect_op op(greeting{});
        EXPECT_EQ(op.on_reply(string(odd)), progress::more);
        EXPECT_EQ(op.on_reply(string(server_info)), progress::ready);
        EXPECT_FALSE(op.self().known()) << odd;
    }
    connect_op op(greeting{});
    op.on_reply(string(client_info));
    op.on_reply(string("# Server\r\nredis_version:7.0.15\r\n"));
    EXPECT_FALSE(op.self().known()) << "no run id";
}

/// What comes of a server that says this of itself.
ending answer_with_info(std::string const& text) {
    return answer_with(4, string(server_info + text));
}

TEST(connect_op, goes_to_no_replica_and_names_its_master) {
    auto const replica =
        answer_with_info("role:slave\r\nmaster_host:10.0.0.1\r\nmaster_port:6380\r\nslave_read_only:1\r\n");
    EXPECT_EQ(replica.then, progress::failed);
    EXPECT_EQ(replica.reason, errc::disconnected) << "after a failover the address may soon be the new master's";
    EXPECT_THAT(replica.problem, HasSubstr("replica"));
    EXPECT_THAT(replica.problem, HasSubstr("master, 10.0.0.1:6380"));
    EXPECT_EQ(answer_with_info("role:slave\r\n").then, progress::failed);
    EXPECT_EQ(answer_with_info("role:slave\r\nslave_read_only:0\r\n").then, progress::ready) << "it takes writes";
    EXPECT_EQ(answer_with_info("role:master\r\n").then, progress::ready);
}

TEST(connect_op, goes_to_no_cluster_and_to_no_sentinel) {
    for (auto const* text : {"cluster_enabled:1\r\n", "redis_mode:sentinel\r\n", "server_mode:sentinel\r\n"}) {
        auto const seen = answer_with_info(text);
        EXPECT_EQ(seen.then, progress::failed) << text;
        EXPECT_EQ(seen.reason, errc::server_refused) << "trying again does not help";
        EXPECT_THAT(seen.problem,
                    HasSubstr(std::string(text).starts_with("cluster") ? "redis-cluster://host:port"
                                                                       : "redis-sentinel://host:port/#name"))
            << text;
    }
    EXPECT_EQ(answer_with_info("redis_mode:standalone\r\ncluster_enabled:0\r\n").then, progress::ready);
}

TEST(connect_op, learns_what_is_removed_when_memory_is_full) {
    connect_op op(greeting{});
    op.on_reply(string(client_info));
    op.on_reply(string("# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n"));
    EXPECT_EQ(op.self().eviction_policy, "allkeys-lru");
}

TEST(info_field, is_found_by_its_whole_name) {
    EXPECT_EQ(info_field("id=3 addr=1.2.3.4:5 laddr=6 name= db=0\n", "addr", '=', " \n"), "1.2.3.4:5");
    EXPECT_EQ(info_field("laddr=6 addr=7", "addr", '=', " \n"), "7");
    EXPECT_EQ(info_field("name= db=0\n", "name", '=', " \n"), "");
    EXPECT_EQ(info_field("name= db=0\n", "db", '=', " \n"), "0");
    EXPECT_EQ(info_field("a:1\r\nb:2\r\n", "b", ':', "\r\n"), "2");
    EXPECT_EQ(info_field("a:1\r\nb:2", "b", ':', "\r\n"), "2");
    EXPECT_EQ(info_field("a:1:2\r\n", "a", ':', "\r\n"), "1:2");
    EXPECT_EQ(info_field("", "a", ':', "\r\n"), "");
    EXPECT_EQ(info_field("a", "a", ':', "\r\n"), "");
    EXPECT_EQ(info_field("ab:1", "a", ':', "\r\n"), "");
}

} // namespace
} // namespace redlatch::connection
