#include "io/connector.hpp"
#include "io/scripted_server.hpp"
#include "io/watched_attempt.hpp"
#include "support/temporary_folder.hpp"

#include <array>
#include <fcntl.h>
#include <future>
#include <gmock/gmock.h>
#include <sys/un.h>
#include <thread>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using progress = connector::progress;

connection::greeting const words{"ann", "secret", {}, 0, true};
std::string const answers =
    "+OK\r\n" + bulk("id=17 addr=127.0.0.1:51234 fd=8") + bulk("redis_version:7.0.15\r\nrun_id:abcdef\r\n");

std::vector<address> addresses_of(endpoint const& where) {
    std::string problem;
    auto out = resolve(where, true, problem);
    EXPECT_FALSE(out.empty()) << problem;
    return out;
}

connector connector_to(scripted_server const& server, connection::greeting const& what = words) {
    return {server.where(), addresses_of(server.where()), what};
}

/// One host with two addresses, the first of which does not answer.
connector connector_to(scripted_server const& silent, scripted_server const& live) {
    auto both = addresses_of(silent.where());
    both.push_back(addresses_of(live.where()).front());
    return {live.where(), std::move(both), words};
}

TEST(connector, connects_and_greets_and_knows_who_it_is) {
    scripted_server server;
    auto one = connector_to(server);
    ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
    EXPECT_EQ(one.events(), POLLIN);
    server.accept();
    EXPECT_THAT(server.read_commands(3), ElementsAre("AUTH ann secret", "CLIENT INFO", "INFO"));
    server.say(answers);
    EXPECT_EQ(drive(one), progress::ready);
    EXPECT_EQ(one.self().client_id, 17);
    EXPECT_EQ(one.self().run_id, "abcdef");
    EXPECT_TRUE(one.take_wire());
}

TEST(connector, an_address_that_does_not_answer_leaves_time_for_the_others) {
    scripted_server silent;
    scripted_server live;
    auto one = connector_to(silent, live);
    auto const until = lease_clock::now() + 60s;
    one.give_until(until);
    ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
    EXPECT_LT(one.due_at(), until - 29s) << "half of it";
    ASSERT_EQ(one.on_time_over(), progress::waiting);
    EXPECT_EQ(one.due_at(), until);
    ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
    live.accept();
    EXPECT_THAT(live.read_commands(3), ElementsAre("AUTH ann secret", "CLIENT INFO", "INFO"));
    live.say(answers);
    EXPECT_EQ(drive(one), progress::ready);

    auto none = connector_to(silent);
    none.give_until(until);
    ASSERT_EQ(drive_to_the_greeting(none), progress::waiting);
    EXPECT_EQ(none.on_time_over(), progress::failed);
    EXPECT_THAT(none.problem(), HasSubstr("did not answer in time"));
}

TEST(connector, goes_on_by_itself_where_an_address_does_not_answer) {
    scripted_server silent;
    scripted_server live;
    auto one = connector_to(silent, live);
    std::jthread const answering([&] {
        live.accept();
        live.say(answers);
    });
    EXPECT_TRUE(connect_blocking(one, lease_clock::now() + 2s)) << one.problem();
}

TEST(connector, takes_the_answers_in_pieces_wherever_they_are_cut) {
    scripted_server server;
    for (std::size_t cut = 1; cut < answers.size(); ++cut) {
        SCOPED_TRACE(cut);
        auto one = connector_to(server);
        ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
        server.accept();
        server.say(answers.substr(0, cut));
        ASSERT_EQ(drive(one), progress::waiting);
        server.say(answers.substr(cut));
        ASSERT_EQ(drive(one), progress::ready);
        ASSERT_TRUE(one.self().known());
    }
}

TEST(connector, has_failed_wherever_the_server_hangs_up) {
    scripted_server server;
    for (bool const crash : {false, true}) {
        for (std::size_t said = 0; said < answers.size(); ++said) {
            SCOPED_TRACE(said);
            auto one = connector_to(server);
            ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
            server.accept();
            server.read_commands(3);
            server.say(answers.substr(0, said));
            ASSERT_TRUE(said == 0 || drive(one) == progress::waiting);
            crash ? server.break_off() : server.hang_up();
            ASSERT_EQ(drive(one), progress::failed);
            EXPECT_EQ(one.reason(), errc::disconnected);
            EXPECT_THAT(one.problem(), HasSubstr("the server redis://127.0.0.1:"));
            EXPECT_THAT(one.problem(), Not(HasSubstr("secret")));
            EXPECT_LT(one.fd(), 0) << "the socket is closed";
        }
    }
}

TEST(connector, has_failed_when_nobody_listens) {
    scripted_server server;
    server.stop_listening();
    auto one = connector_to(server);
    auto now = one.advance();
    while (now == progress::waiting) now = drive(one);
    EXPECT_EQ(now, progress::failed);
    EXPECT_EQ(one.reason(), errc::disconnected);
    EXPECT_THAT(one.problem(), HasSubstr("cannot be reached"));
}

TEST(connector, tries_one_address_after_the_other) {
    scripted_server server;
    scripted_server closed;
    closed.stop_listening();
    auto addresses = addresses_of(closed.where());
    addresses.push_back(addresses_of(server.where()).front());
    connector one(server.where(), addresses, words);
    ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
    server.accept();
    server.say(answers);
    EXPECT_EQ(drive(one), progress::ready);
}

TEST(connector, says_so_when_there_is_no_address) {
    scripted_server const server;
    connector one(server.where(), {}, words);
    EXPECT_EQ(one.advance(), progress::failed);
    EXPECT_EQ(one.reason(), errc::disconnected);
    EXPECT_THAT(one.problem(), HasSubstr("no address"));
}

TEST(connector, tells_a_refusal_from_a_broken_connection) {
    scripted_server server;
    auto one = connector_to(server);
    ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
    server.accept();
    server.say("-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    EXPECT_EQ(drive(one), progress::failed);
    EXPECT_EQ(one.reason(), errc::server_refused);
    EXPECT_THAT(one.problem(), HasSubstr("WRONGPASS invalid username-password pair"));
    EXPECT_THAT(one.problem(), Not(HasSubstr("secret")));
}

TEST(connector, says_why_the_server_hung_up_in_its_own_words) {
    connection::greeting nameless;
    nameless.client_name = "me"; // whose answer nobody needs
    for (bool const crashes : {false, true}) {
        scripted_server full;
        auto one = connector_to(full, nameless);
        ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
        full.accept();
        full.say("-ERR max number of clients reached\r\n");
        ASSERT_TRUE(full.has_been_heard());
        ASSERT_EQ(drive(one), progress::waiting);
        crashes ? full.break_off() : full.hang_up();
        ASSERT_EQ(drive(one), progress::failed);
        EXPECT_EQ(one.reason(), errc::disconnected);
        EXPECT_THAT(one.problem(), HasSubstr("it said 'ERR max number of clients reached'"));
        EXPECT_THAT(one.problem(), Not(HasSubstr("TLS")));
    }
}

/// Reading fails for another reason than that the server has hung up.
TEST(connector, names_no_reason_why_a_server_hung_up_which_has_not) {
    connection::greeting nameless;
    nameless.client_name = "me"; // whose answer nobody needs
    for (bool const complains : {false, true}) {
        scripted_server server;
        auto one = connector_to(server, nameless);
        ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
        server.accept();
        if (complains) {
            server.say("-ERR no such command\r\n");
            ASSERT_EQ(drive(one), progress::waiting);
        }
        unique_fd const unconnected(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        ASSERT_EQ(::dup3(unconnected.get(), one.fd(), O_CLOEXEC), one.fd());
        ASSERT_EQ(one.advance(), progress::failed);
        EXPECT_THAT(one.problem(), HasSubstr("broke the connection: "));
        EXPECT_THAT(one.problem(), Not(HasSubstr("too many clients")));
        EXPECT_EQ(one.problem().find("it said 'ERR no such command'") != std::string::npos, complains) << one.problem();
    }
}

TEST(connector, names_both_reasons_why_a_server_may_hang_up_without_a_word) {
    for (bool const crashes : {false, true}) {
        scripted_server silent;
        auto one = connector_to(silent);
        ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
        silent.accept();
        crashes ? silent.break_off() : silent.hang_up();
        ASSERT_EQ(drive(one), progress::failed);
        EXPECT_THAT(one.problem(), HasSubstr("too many clients"));
        EXPECT_THAT(one.problem(), HasSubstr("TLS"));
    }
}

TEST(connector, knows_a_server_of_another_kind) {
    for (char const* odd :
         {"HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "$99999999999999\r\n", "\x16\x03\x01"}) {
        scripted_server server;
        auto one = connector_to(server);
        ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
        server.accept();
        server.say(odd);
        EXPECT_EQ(drive(one), progress::failed) << odd;
        EXPECT_EQ(one.reason(), errc::bad_reply) << odd;
        EXPECT_THAT(one.problem(), HasSubstr("does not speak the Redis protocol"));
    }
}

TEST(connector, knows_a_server_that_speaks_tls) {
    scripted_server server;
    auto one = connector_to(server);
    ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
    server.accept();
    server.say("\x15\x03\x01"); // an alert
    EXPECT_EQ(drive(one), progress::failed);
    EXPECT_EQ(one.reason(), errc::bad_reply);
    EXPECT_THAT(one.problem(), HasSubstr("speaks TLS on this port: use rediss:// instead of redis://"));
}

TEST(connector, has_a_bound_on_what_a_greeting_may_bring) {
    scripted_server server;
    auto one = connector_to(server);
    ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
    server.accept();
    server.say("$1500000\r\n");
    EXPECT_EQ(drive(one), progress::failed);
    EXPECT_EQ(one.reason(), errc::bad_reply);
}

TEST(connector, opens_descriptors_that_no_child_inherits_and_that_never_block) {
    scripted_server server;
    auto one = connector_to(server);
    ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
    EXPECT_NE(::fcntl(one.fd(), F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_NE(::fcntl(one.fd(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(connector, has_small_commands_sent_without_delay_and_dead_peers_noticed) {
    scripted_server server;
    auto one = connector_to(server);
    ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
    auto const is_on = [&](int level, int option) {
        int value = 0;
        socklen_t size = sizeof value;
        EXPECT_EQ(::getsockopt(one.fd(), level, option, &value, &size), 0);
        return value != 0;
    };
    EXPECT_TRUE(is_on(IPPROTO_TCP, TCP_NODELAY)) << "Nagle's algorithm would keep a command back behind another one";
    EXPECT_TRUE(is_on(SOL_SOCKET, SO_KEEPALIVE));
}

TEST(connector, connects_through_a_unix_socket) {
    test::temporary_folder const folder;
    endpoint where;
    where.unix_socket = true;
    where.host_or_path = folder.path() / "redis.sock";
    unique_fd const listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    auto const addresses = addresses_of(where);
    ASSERT_EQ(::bind(listening.get(), reinterpret_cast<sockaddr const*>(&addresses[0].bytes), addresses[0].length), 0);
    connector too_early(where, addresses, words);
    EXPECT_EQ(too_early.advance(), progress::failed) << "nobody listens yet";
    EXPECT_THAT(too_early.problem(), HasSubstr("redis.sock"));
    ASSERT_EQ(::listen(listening.get(), 5), 0);
    connector one(where, addresses, words);
    ASSERT_EQ(drive_to_the_greeting(one), progress::waiting);
    unique_fd const peer(::accept(listening.get(), nullptr, nullptr));
    ASSERT_EQ(::send(peer.get(), answers.data(), answers.size(), MSG_NOSIGNAL), std::ssize(answers));
    EXPECT_EQ(drive(one), progress::ready);
}

TEST(connector, tries_the_next_address_where_the_system_lacks_the_family_of_one) {
    scripted_server server;
    auto addresses = addresses_of(server.where());
    address unknown;
    unknown.family = AF_MAX; // as IPv6 on a system without it
    addresses.insert(addresses.begin(), unknown);
    connector one(server.where(), addresses, words);
    ASSERT_EQ(drive_to_the_greeting(one), progress::waiting) << one.problem();
    server.accept();
    EXPECT_THAT(server.read_commands(3), ElementsAre("AUTH ann secret", "CLIENT INFO", "INFO"));
    server.say(answers);
    EXPECT_EQ(drive(one), progress::ready);
}

TEST(connector, says_what_is_wrong_with_the_server_rather_than_with_the_family_of_an_address) {
    scripted_server closed;
    closed.stop_listening();
    auto addresses = addresses_of(closed.where());
    address unknown;
    unknown.family = AF_MAX;
    addresses.push_back(unknown);
    connector one(closed.where(), addresses, words);
    EXPECT_EQ(drive_to_the_greeting(one), progress::failed);
    EXPECT_THAT(one.problem(), HasSubstr("Connection refused"));
    connector alone(closed.where(), {unknown}, words);
    EXPECT_EQ(drive_to_the_greeting(alone), progress::failed);
    EXPECT_THAT(alone.problem(), HasSubstr("Address family not supported"));
}

/// A Unix socket whose queue of connections is full.
class full_queue : public ::testing::Test {
protected:
    test::temporary_folder const folder;
    endpoint where;
    unique_fd const listening{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::vector<address> addresses;
    std::vector<unique_fd> queued;

    full_queue() {
        where.unix_socket = true;
        where.host_or_path = folder.path() / "redis.sock";
        addresses = addresses_of(where);
        auto const* const name = reinterpret_cast<sockaddr const*>(&addresses[0].bytes);
        EXPECT_EQ(::bind(listening.get(), name, addresses[0].length), 0);
        EXPECT_EQ(::listen(listening.get(), 0), 0);
        for (int result = 0; result == 0;) {
            queued.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
            result = ::connect(queued.back().get(), name, addresses[0].length);
        }
        EXPECT_EQ(errno, EAGAIN);
        queued.pop_back();
    }
};

TEST_F(full_queue, of_a_unix_socket_is_waited_for_as_over_tcp) {
    connector one(where, addresses, words);
    one.give_until(lease_clock::now() + test::patience);
    ASSERT_EQ(one.advance(), progress::waiting) << one.problem();
    EXPECT_LT(one.fd(), 0) << "there is nothing to wait for but the time";
    EXPECT_LT(one.due_at(), lease_clock::now() + 1s);
    ASSERT_EQ(one.on_time_over(), progress::waiting) << "still full";
    for (std::size_t i = 0; i < queued.size(); ++i) unique_fd(::accept(listening.get(), nullptr, nullptr));
    ASSERT_EQ(one.on_time_over(), progress::waiting);
    EXPECT_GE(one.fd(), 0) << "it is connected and greets";
    unique_fd const peer(::accept(listening.get(), nullptr, nullptr));
    ASSERT_EQ(::send(peer.get(), answers.data(), answers.size(), MSG_NOSIGNAL), std::ssize(answers));
    EXPECT_EQ(drive(one), progress::ready);
}

TEST_F(full_queue, of_a_unix_socket_is_waited_for_no_longer_than_there_is_time) {
    connector one(where, addresses, words);
    EXPECT_FALSE(connect_blocking(one, lease_clock::now() + 50ms));
    EXPECT_THAT(one.problem(), HasSubstr("too many are waiting to be accepted"));
}

TEST_F(full_queue, of_a_unix_socket_is_waited_for_by_the_reactor) {
    auto const loop = std::make_shared<reactor>();
    std::promise<progress> ended;
    auto const one = std::make_shared<watched_attempt>(*loop, connector(where, addresses, words),
                                                       [&](progress how) { ended.set_value(how); });
    loop->start();
    loop->post([&] { one->begin(lease_clock::now() + test::patience); });
    queued.clear();
    std::thread peer([&] {
        for (;;) { // those that have gone first
            unique_fd const next(::accept(listening.get(), nullptr, nullptr));
            if (::send(next.get(), answers.data(), answers.size(), MSG_NOSIGNAL) == std::ssize(answers)) {
                char byte = 0;
                if (::recv(next.get(), &byte, 1, 0) == 1) return;
            }
        }
    });
    EXPECT_EQ(ended.get_future().get(), progress::ready) << one->attempt.problem();
    peer.join();
    loop->stop();
}

/// Its time may be over on the reactor, which has been asked for it before.
TEST(watched_attempt, that_has_ended_does_not_expire_any_more) {
    scripted_server const server;
    auto const loop = std::make_shared<reactor>();
    int ends = 0;
    auto const one =
        std::make_shared<watched_attempt>(*loop, connector(server.where(), {}, words), [&](progress) { ++ends; });
    one->begin(lease_clock::now() + test::patience);
    ASSERT_EQ(ends, 1) << "there is no address";
    one->expire();
    EXPECT_EQ(ends, 1);
    EXPECT_THAT(one->attempt.problem(), HasSubstr("no address")) << "not that its time was over";
}

// --- blocking

TEST(connect_blocking, gives_up_when_the_server_accepts_and_says_nothing) {
    scripted_server const server;
    auto one = connector_to(server);
    auto const until = lease_clock::now() + 30ms;
    EXPECT_FALSE(connect_blocking(one, until));
    EXPECT_GE(lease_clock::now(), until);
    EXPECT_EQ(one.reason(), errc::disconnected);
    EXPECT_THAT(one.problem(), HasSubstr("did not answer in time"));
    EXPECT_LT(one.fd(), 0);
}

TEST(connect_blocking, connects) {
    scripted_server server;
    auto one = connector_to(server, {.identify = false});
    // The peer can answer before it is asked: the connector reads only after it has greeted.
    std::thread peer([&] {
        server.accept();
        EXPECT_THAT(server.read_commands(1), ElementsAre("PING"));
        server.say("+PONG\r\n");
    });
    EXPECT_TRUE(connect_blocking(one, lease_clock::now() + test::patience));
    peer.join();
}

// --- resolving

TEST(resolve, takes_numbers_of_both_families_without_asking_anybody) {
    std::string problem;
    endpoint where;
    where.port = 6379;
    where.host_or_path = "127.0.0.1";
    EXPECT_EQ(resolve(where, true, problem).at(0).family, AF_INET);
    where.host_or_path = "::1";
    EXPECT_EQ(resolve(where, true, problem).at(0).family, AF_INET6);
    EXPECT_EQ(problem, "");
}

TEST(resolve, leaves_names_alone_where_it_must_not_block) {
    std::string problem;
    endpoint where;
    where.host_or_path = "localhost";
    EXPECT_TRUE(resolve(where, true, problem).empty());
    EXPECT_THAT(problem, HasSubstr("cannot be resolved"));
}

TEST(resolve, finds_this_machine) {
    std::string problem;
    endpoint where;
    where.host_or_path = "localhost";
    EXPECT_FALSE(resolve(where, false, problem).empty()) << problem;
}

TEST(resolve, refuses_a_socket_path_that_the_system_cannot_take) {
    std::string problem;
    endpoint where;
    where.unix_socket = true;
    where.host_or_path = "/tmp/" + std::string(sizeof(sockaddr_un::sun_path), 'x');
    EXPECT_TRUE(resolve(where, true, problem).empty());
    EXPECT_THAT(problem, HasSubstr("too long"));
}

} // namespace
} // namespace redlatch::io
