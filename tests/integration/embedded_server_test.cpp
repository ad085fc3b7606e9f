// Real servers, each in a folder of its own: starting them and finding them.
#include "embedded/server_process.hpp"
#include "integration/embedded_fixture.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <vector>

namespace redlatch::test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

TEST_F(embedded_server_test, starts_on_first_use_and_is_there_from_then_on) {
    embedded_server server;
    EXPECT_FALSE(server.status().running);
    EXPECT_EQ(server.status().socket, folder / "redis.sock");
    server.ensure_running();
    auto const state = server.status();
    EXPECT_TRUE(state.running);
    EXPECT_GT(state.pid, 1);
    EXPECT_THAT(state.software, AnyOf("redis", "valkey"));
    EXPECT_NE(state.version, "");
    EXPECT_EQ(state.clients, 0);
    EXPECT_EQ(state.keys, 0);
    EXPECT_EQ(server.uri(), "unix://" + (folder / "redis.sock").string());
    server.ensure_running();
    EXPECT_EQ(server.status().pid, state.pid);
}

TEST_F(embedded_server_test, status_never_starts_it) {
    EXPECT_FALSE(embedded_server().status().running);
    EXPECT_FALSE(std::filesystem::exists(folder / "redis.sock"));
}

TEST_F(embedded_server_test, is_private_bounded_and_writes_no_data) {
    embedded_server().ensure_running();
    auto server = connection();
    auto const setting = [&](char const* name) { return server.command("CONFIG", "GET", name).items.at(1).text; };
    EXPECT_EQ(setting("port"), "0");
    EXPECT_EQ(setting("save"), "");
    EXPECT_EQ(setting("appendonly"), "no");
    EXPECT_EQ(setting("maxmemory-policy"), "noeviction");
    EXPECT_GT(std::stoll(setting("maxmemory")), 1'000'000);
    EXPECT_EQ(std::filesystem::status(folder / "redis.sock").permissions(), std::filesystem::perms::owner_all);
    server.command("SET", "key", std::string(1 << 20, 'x'));
    server.command("SAVE");
    std::uintmax_t bytes = 0;
    for (auto const& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_regular_file()) bytes += entry.file_size();
    EXPECT_LE(bytes, 3U * 64 * 1024);
    EXPECT_EQ(server.command("PING").text, "PONG");
}

TEST_F(embedded_server_test, is_started_once_by_ten_first_users_at_the_same_time) {
    std::array<int, 2> gate{};
    std::array<int, 2> answers{};
    ASSERT_EQ(::pipe(gate.data()), 0);
    ASSERT_EQ(::pipe(answers.data()), 0);
    std::vector<std::unique_ptr<other_process>> users;
    for (int count = 0; count < 10; ++count)
        users.push_back(std::make_unique<other_process>([&] {
            ::close(gate[1]);
            char byte = 0;
            [[maybe_unused]] auto const opened =
                ::read(gate[0], &byte, 1); // returns at once for all when the gate closes
            embedded_server server;
            server.ensure_running();
            auto const process = server.status().pid;
            return ::write(answers[1], &process, sizeof process) == sizeof process ? 0 : 1;
        }));
    ::close(gate[0]);
    ::close(gate[1]);
    for (auto& user : users) EXPECT_EQ(user->status(), 0);
    ::close(answers[1]);
    std::set<::pid_t> processes;
    ::pid_t process = 0;
    int count = 0;
    for (; ::read(answers[0], &process, sizeof process) == sizeof process; ++count) processes.insert(process);
    ::close(answers[0]);
    EXPECT_EQ(count, 10);
    EXPECT_EQ(processes.size(), 1U);
}

TEST_F(embedded_server_test, is_started_once_by_threads_at_the_same_time) {
    std::vector<std::jthread> users;
    for (int count = 0; count < 8; ++count) users.emplace_back([] { embedded_server().ensure_running(); });
    users.clear();
    EXPECT_TRUE(embedded_server().status().running);
}

TEST_F(embedded_server_test, is_shared_by_a_login_shell_cron_and_an_empty_environment) {
    embedded_server().ensure_running();
    auto const expected = server_process();
    for (auto const& path : {std::string("/usr/bin:/bin"), std::string("/nowhere"), std::string()}) {
        other_process user([&] {
            ::clearenv();
            if (!path.empty()) ::setenv("PATH", path.c_str(), 1);
            ::setenv("HOME", "/elsewhere", 1);
            ::setenv("REDLATCH_RUNTIME_DIR", folder.c_str(), 1); // stands for the uid, see default_folder_test
            embedded_server server;
            server.ensure_running();
            return server.status().pid == expected ? 0 : 1;
        });
        EXPECT_EQ(user.status(), 0);
    }
}

TEST_F(embedded_server_test, can_be_started_without_any_environment) {
    other_process user([&] {
        ::clearenv();
        embedded_server(folder).ensure_running();
        return 0;
    });
    EXPECT_EQ(user.status(), 0);
    EXPECT_TRUE(embedded_server().status().running);
}

TEST_F(embedded_server_test, outlives_its_starter_and_holds_nothing_of_it) {
    std::array<int, 2> inherited{};
    ASSERT_EQ(::pipe(inherited.data()), 0);
    ::pid_t starter_group = 0;
    other_process starter([&] {
        ::setpgid(0, 0);
        ::close(inherited[0]);
        ::dup2(inherited[1], 0); // as stdin, stdout, stderr and as a high number
        ::dup2(inherited[1], 1);
        ::dup2(inherited[1], 2);
        ::dup2(inherited[1], 200);
        std::signal(SIGHUP, SIG_IGN);
        sigset_t all;
        ::sigfillset(&all);
        ::sigprocmask(SIG_BLOCK, &all, nullptr);
        embedded_server().ensure_running();
        auto const group = ::getpgrp();
        return ::write(inherited[1], &group, sizeof group) == sizeof group ? 0 : 1;
    });
    ::close(inherited[1]);
    EXPECT_EQ(starter.status(), 0);
    ASSERT_EQ(::read(inherited[0], &starter_group, sizeof starter_group), static_cast<ssize_t>(sizeof starter_group));
    char byte = 0;
    EXPECT_EQ(::read(inherited[0], &byte, 1), 0) << "the end of the pipe: nobody holds it";
    ::close(inherited[0]);

    auto const process = server_process();
    ASSERT_GT(process, 1);
    EXPECT_NE(::getpgid(process), starter_group);
    EXPECT_NE(::getsid(process), ::getsid(0));
    std::ifstream file("/proc/" + std::to_string(process) + "/environ");
    std::stringstream environment;
    environment << file.rdbuf();
    EXPECT_EQ(environment.str().find("REDLATCH_RUNTIME_DIR"), std::string::npos);
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    std::stringstream text;
    text << status.rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("SigBlk:\t0000000000000000"));
}

TEST_F(embedded_server_test, makes_files_for_its_owner_only_whatever_its_starter_allows) {
    other_process user([] {
        ::umask(0);
        embedded_server().ensure_running();
        return 0;
    });
    ASSERT_EQ(user.status(), 0);
    std::ifstream status("/proc/" + std::to_string(server_process()) + "/status");
    std::stringstream text;
    text << status.rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("Umask:\t0077\n"));
}

TEST_F(embedded_server_test, is_not_ended_by_a_limit_that_its_starter_has_set_for_itself) {
    other_process user([] {
        ::rlimit limit{};
        if (::getrlimit(RLIMIT_CPU, &limit) != 0) return 1;
        limit.rlim_cur = std::min<::rlim_t>(3600, limit.rlim_max);
        if (::setrlimit(RLIMIT_CPU, &limit) != 0) return 1;
        embedded_server().ensure_running();
        return 0;
    });
    ASSERT_EQ(user.status(), 0);
    ::rlimit limit{};
    ASSERT_EQ(::prlimit(server_process(), RLIMIT_CPU, nullptr, &limit), 0);
    EXPECT_EQ(limit.rlim_cur, limit.rlim_max) << "the server is for all programs of its user";
}

TEST_F(embedded_server_test, can_be_started_with_standard_descriptors_closed) {
    other_process user([] {
        for (int number = 0; number < 3; ++number) ::close(number);
        embedded_server().ensure_running();
        return 0;
    });
    EXPECT_EQ(user.status(), 0);
    EXPECT_TRUE(embedded_server().status().running);
}

TEST_F(embedded_server_test, replaces_a_socket_that_nobody_serves) {
    embedded_server server;
    server.ensure_running();
    auto const first = server.status().pid;
    ::kill(first, SIGKILL);
    ASSERT_TRUE(embedded::wait_for_end(first, lease_clock::now() + test::patience));
    ASSERT_TRUE(std::filesystem::exists(folder / "redis.sock"));
    EXPECT_FALSE(server.status().running);
    server.ensure_running();
    EXPECT_NE(server.status().pid, first);
    EXPECT_TRUE(server.status().running);
}

TEST_F(embedded_server_test, does_not_replace_what_is_no_socket) {
    embedded_server server;
    std::ofstream(folder / "redis.sock") << "precious";
    try {
        server.ensure_running();
        FAIL() << "started";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::bad_config);
        EXPECT_THAT(problem.what(), HasSubstr("not a socket"));
    }
    EXPECT_TRUE(std::filesystem::exists(folder / "redis.sock"));
    std::filesystem::remove(folder / "redis.sock");
}

TEST_F(embedded_server_test, waits_for_one_whose_starter_was_killed) {
    embedded_server server;
    server.ensure_running();
    auto const first = server.status().pid;
    // As if it were only starting: its socket comes back a moment later.
    std::filesystem::rename(folder / "redis.sock", folder / "aside");
    std::jthread const later([&] { std::filesystem::rename(folder / "aside", folder / "redis.sock"); });
    server.ensure_running();
    EXPECT_EQ(server.status().pid, first);
}

TEST_F(embedded_server_test, says_what_the_server_said_when_it_does_not_start) {
    std::filesystem::create_directories(base.path() / "bin");
    auto const program = base.path() / "bin" / "redis-server";
    std::ofstream(program) << "#!/bin/sh\necho 'out of paper' >&2\nexit 3\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    std::string const former = std::getenv("PATH");
    ::setenv("PATH", (base.path() / "bin").c_str(), 1);
    try {
        embedded_server().ensure_running();
        ADD_FAILURE() << "started";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::disconnected);
        EXPECT_THAT(problem.what(), AllOf(HasSubstr("out of paper"), HasSubstr(folder.string())));
    }
    std::ofstream(program) << "#!/no/such/interpreter\n";
    try {
        embedded_server().ensure_running();
        ADD_FAILURE() << "started";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::disconnected);
        EXPECT_THAT(problem.what(), AllOf(HasSubstr(program.string()), HasSubstr("No such file")));
    }
    ::setenv("PATH", former.c_str(), 1);
}

TEST_F(embedded_server_test, says_which_file_it_cannot_write) {
    embedded_server server;
    std::filesystem::create_symlink(base.path() / "target", folder / "redis.log");
    try {
        server.ensure_running();
        FAIL() << "started";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::disconnected);
        EXPECT_THAT(problem.what(), HasSubstr("redis.log cannot be opened"));
    }
    EXPECT_FALSE(std::filesystem::exists(base.path() / "target"));
}

TEST_F(embedded_server_test, is_not_taken_for_a_server_when_it_speaks_another_protocol) {
    embedded_server server;
    auto const listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    server.socket().native().copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listening, 5), 0);
    std::jthread const stranger([&] {
        auto const peer = ::accept(listening, nullptr, nullptr);
        char request[64];
        [[maybe_unused]] auto const received = ::recv(peer, request, sizeof request, 0);
        [[maybe_unused]] auto const sent = ::send(peer, "HTTP/1.1 400 Bad Request\r\n\r\n", 28, MSG_NOSIGNAL);
        ::close(peer);
    });
    try {
        server.status();
        ADD_FAILURE() << "believed";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::bad_reply);
    }
    ::close(listening);
}

TEST_F(embedded_server_test, has_a_uri_that_survives_odd_paths) {
    embedded_server const server(base.path() / "a b%c?");
    EXPECT_THAT(server.uri(), HasSubstr("/a%20b%25c%3F/redis.sock"));
}

} // namespace
} // namespace redlatch::test
