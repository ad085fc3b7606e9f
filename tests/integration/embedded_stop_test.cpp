// Real servers, each in a folder of its own: who may end them, and when.
#include "embedded/server_process.hpp"
#include "integration/embedded_fixture.hpp"
#include "support/fake_server.hpp"

#include <redlatch/client.hpp>

#include <array>
#include <csignal>
#include <functional>
#include <gmock/gmock.h>
#include <optional>
#include <sched.h>
#include <string>
#include <unistd.h>

namespace redlatch::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using embedded_stop_test = embedded_server_test;

TEST_F(embedded_stop_test, is_stopped_by_force_only_when_it_has_lost_its_socket) {
    embedded_server server;
    server.ensure_running();
    auto const process = server.status().pid;
    std::filesystem::remove(folder / "redis.sock");
    EXPECT_THROW(server.stop(false), error);
    EXPECT_TRUE(embedded::is_alive(process));
    EXPECT_TRUE(server.stop(true));
    EXPECT_FALSE(embedded::is_alive(process));
}

TEST_F(embedded_stop_test, is_not_stopped_while_a_lock_is_held) {
    embedded_server server;
    server.ensure_running();
    auto client = connection();
    client.command("SELECT", "3");
    client.command("HSET", "orders", "0fd0:7", "1");
    client.command("PEXPIRE", "orders", "60000");
    client.command("SET", "string", "value");
    try {
        server.stop(false);
        FAIL() << "stopped";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::busy);
        EXPECT_THAT(problem.what(), AllOf(HasSubstr("'orders'"), HasSubstr("held")));
    }
    EXPECT_EQ(client.command("DEL", "orders").integer, 1) << "writers go on after the refusal";
    client.command("HSET", "no lock", "field", "value");
    EXPECT_TRUE(server.stop(false));
    EXPECT_FALSE(server.status().running);
}

TEST_F(embedded_stop_test, is_not_stopped_while_a_lock_is_held_wherever_it_is_among_many_keys) {
    embedded_server server;
    server.ensure_running();
    auto client = connection();
    client.command("EVAL", "for i = 1, 5000 do redis.call('set', 'string' .. i, 'x') end", "0");
    // The order of SCAN differs from server to server. So the lock takes the place of a key that is found last.
    std::string cursor = "0";
    std::string last;
    int pages = 0;
    do {
        auto const page = client.command("SCAN", cursor, "COUNT", "1000");
        cursor = page.items.at(0).text;
        if (!page.items.at(1).items.empty()) last = page.items.at(1).items.back().text;
        ++pages;
    } while (cursor != "0");
    ASSERT_GT(pages, 2);
    client.command("DEL", last);
    client.command("HSET", last, "0fd0:7", "1");
    try {
        server.stop(false);
        FAIL() << "stopped";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::busy);
        EXPECT_THAT(problem.what(), HasSubstr("'" + last + "'"));
    }
}

TEST_F(embedded_stop_test, is_what_a_client_without_address_uses_so_that_processes_exclude_each_other) {
    std::array<int, 2> gate{};
    ASSERT_EQ(::pipe(gate.data()), 0);
    other_process rival([&] {
        ::close(gate[1]);
        char byte = 0;
        if (::read(gate[0], &byte, 1) != 1) return 2;
        client mine;
        return mine.get_lock("backup").try_acquire() ? 1 : 0;
    });
    ::close(gate[0]);
    client mine;
    auto held = mine.get_lock("backup").acquire();
    EXPECT_EQ(::write(gate[1], "g", 1), 1);
    ::close(gate[1]);
    EXPECT_EQ(rival.status(), 0) << "the rival must find the lock busy";
    try {
        embedded_server().stop(false);
        ADD_FAILURE() << "stopped under a holder";
    } catch (error const& problem) {
        EXPECT_THAT(problem.what(), HasSubstr("'backup'"));
    }
    held.release();
    EXPECT_TRUE(embedded_server().stop(false));
}

TEST_F(embedded_stop_test, counts_many_locks_up_to_a_bound) {
    embedded_server server;
    server.ensure_running();
    auto client = connection();
    client.command("EVAL", "for i = 1, 3000 do redis.call('hset', 'lock' .. i, 'a:1', 1) end", "0");
    EXPECT_THROW(server.stop(false), error);
    EXPECT_EQ(server.status().keys, 3000);
}

TEST_F(embedded_stop_test, is_stopped_by_force_also_while_a_lock_is_held) {
    embedded_server server;
    server.ensure_running();
    auto const process = server.status().pid;
    connection().command("HSET", "orders", "0fd0:7", "1");
    EXPECT_TRUE(server.stop(true));
    EXPECT_FALSE(embedded::is_alive(process));
    EXPECT_FALSE(server.stop(true)) << "there is nothing to stop any more";
    EXPECT_FALSE(server.stop(false));
}

TEST_F(embedded_stop_test, is_stopped_by_force_also_when_it_hangs) {
    embedded_server server;
    server.ensure_running();
    auto const process = server.status().pid;
    ::kill(process, SIGSTOP);
    EXPECT_THROW(server.status(), error);
    try {
        server.stop(false);
        FAIL() << "stopped";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::disconnected);
        EXPECT_THAT(problem.what(), HasSubstr("does not answer"));
    }
    EXPECT_TRUE(server.stop(true));
    EXPECT_FALSE(embedded::is_alive(process));
    server.ensure_running();
    EXPECT_TRUE(server.status().running);
}

TEST_F(embedded_stop_test, is_killed_by_force_when_it_goes_on_after_it_was_told_to_stop) {
    embedded_server server;
    other_process stubborn([&]() -> int {
        ::alarm(120); // should nobody end it
        fake_server const goes_on([](fake_connection& client) {
            for (auto request = client.read(); !request.empty(); request = client.read()) {
                if (request.find("SHUTDOWN") != std::string::npos) return; // closes the connection, and nothing else
                client.write(request.find("INFO") != std::string::npos ? "$0\r\n\r\n" : "+OK\r\n");
            }
        });
        std::filesystem::create_symlink(goes_on.address().path, server.socket());
        for (;;) ::pause();
    });
    ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(server.socket()); }));
    try {
        server.stop(false);
        ADD_FAILURE() << "stopped";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::disconnected);
        EXPECT_THAT(problem.what(), HasSubstr("does not end; use force"));
    }
    EXPECT_TRUE(server.stop(true));
    EXPECT_EQ(stubborn.status(), -1) << "it was killed";
    std::filesystem::remove(server.socket());
}

/// As in another container. What `work` returns; none: this user may not do it.
std::optional<int> where_no_other_process_is_visible(std::function<int()> const& work) {
    constexpr int not_permitted = 98;
    other_process parent([&] {
        if (::unshare(CLONE_NEWPID) != 0) return not_permitted;
        other_process alone([&] {
            ::setsid(); // a signal to all of its group is none to this test
            return work();
        });
        return alone.status();
    });
    int const status = parent.status();
    return status == not_permitted ? std::nullopt : std::optional(status);
}

TEST_F(embedded_stop_test, is_not_killed_by_force_where_its_process_is_not_visible) {
    embedded_server const server;
    fake_server const deaf([](fake_connection& client) {
        for (auto request = client.read(); !request.empty(); request = client.read())
            if (request.find("SHUTDOWN") == std::string::npos) client.write("+OK\r\n");
    });
    std::filesystem::create_symlink(deaf.address().path, server.socket());
    auto const status = where_no_other_process_is_visible([] {
        try {
            embedded_server().stop(true);
        } catch (error const& problem) {
            return std::string(problem.what()).find("its process is not visible from here") == std::string::npos ? 1
                                                                                                                 : 0;
        }
        return 2;
    });
    std::filesystem::remove(server.socket());
    if (!status) GTEST_SKIP() << "no namespace of processes can be made here";
    EXPECT_EQ(*status, 0);
}

} // namespace
} // namespace redlatch::test
