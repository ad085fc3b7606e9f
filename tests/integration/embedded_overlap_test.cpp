// No two embedded servers of one folder at a time, whatever happens to the folder: each would give the same locks away.
#include "embedded/server_claim.hpp"
#include "embedded/server_process.hpp"
#include "integration/embedded_fixture.hpp"
#include "support/child_process.hpp"

#include <redlatch/client.hpp>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace redlatch::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

class embedded_overlap_test : public embedded_server_test {
protected:
    static error refusal(std::function<void()> const& work) {
        try {
            work();
        } catch (error const& problem) {
            return problem;
        }
        ADD_FAILURE() << "not refused";
        return error(errc::closed, "");
    }
    static std::string text_of(::pid_t process) { return "process " + std::to_string(process) + ","; }

    /// All servers that work in the folder, or worked in one that stood there.
    std::vector<::pid_t> servers() const {
        std::vector<::pid_t> result;
        for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
            auto const number = entry.path().filename().string();
            if (!std::ranges::all_of(number, [](char digit) { return digit >= '0' && digit <= '9'; })) continue;
            std::error_code problem;
            auto const place = std::filesystem::read_symlink(entry.path() / "cwd", problem);
            if (!problem && place.string().starts_with(folder.string())) result.push_back(std::stoi(number));
        }
        return result;
    }
    void end_servers() const {
        for (auto const process : servers()) {
            ::kill(process, SIGKILL);
            embedded::wait_for_end(process, lease_clock::now() + patience);
        }
    }

    /// A process has the claim, does `before`, with the path of the socket, and becomes a server then.
    void expect_waited_for(std::function<bool(std::string const&)> const& before) const {
        embedded_server server; // makes the folder
        auto const claim = embedded::claim_address(folder);
        auto const socket = (folder / "redis.sock").string();
        other_process starts([&] {
            if (!embedded::make_claim(claim, ::open("/dev/null", O_RDONLY))) return 1;
            if (!before(socket)) return 2;
            return ::execlp("redis-server", "redis-server", "--port", "0", "--save", "", "--dir", folder.c_str(),
                            "--unixsocket", socket.c_str(), static_cast<char*>(nullptr));
        });
        ASSERT_TRUE(wait_until([&] { return embedded::find_claimant(claim).has_value(); }));
        EXPECT_NO_THROW(server.ensure_running());
        EXPECT_EQ(servers().size(), 1U);
        end_servers();
    }

    /// Twelve programs need a server at the same time, while somebody removes a path again and again. How they end.
    std::vector<int> starts_while_removing(std::filesystem::path const& path) const {
        auto const enough = base.path() / "enough";
        auto const gate = base.path() / "gate";
        other_process vandal([&] {
            while (::access(enough.c_str(), F_OK) != 0)
                for (int count = 0; count < 100; ++count) ::unlink(path.c_str());
            return 0;
        });
        std::vector<std::unique_ptr<other_process>> all;
        for (int count = 0; count < 12; ++count)
            all.push_back(std::make_unique<other_process>([&] {
                while (::access(gate.c_str(), F_OK) != 0) {
                }
                embedded_server().ensure_running();
                return 0;
            }));
        std::ofstream(gate).flush();
        std::vector<int> ends;
        for (auto& start : all) ends.push_back(start->status());
        std::ofstream(enough).flush();
        return ends;
    }
};

TEST_F(embedded_overlap_test, a_removed_folder_makes_no_second_server_beside_a_holder) {
    client mine;
    auto held = mine.get_lock("backup").acquire();
    auto const process = server_process();
    std::filesystem::remove_all(folder);

    auto const refused = refusal([] { client(); });
    EXPECT_EQ(refused.reason(), errc::disconnected);
    EXPECT_THAT(refused.what(), AllOf(HasSubstr(text_of(process)), HasSubstr(folder.string()), HasSubstr("removed"),
                                      HasSubstr("redlatch server stop --force")));
    EXPECT_EQ(held.status(), hold_status::held);
    held.ensure_held();
    held.release();
}

TEST_F(embedded_overlap_test, a_removed_socket_makes_no_second_server) {
    embedded_server server;
    server.ensure_running();
    auto const process = server_process();
    std::filesystem::remove(folder / "redis.sock");
    auto const refused = refusal([&] { server.ensure_running(); });
    EXPECT_THAT(refused.what(), HasSubstr(text_of(process)));
    EXPECT_TRUE(embedded::is_alive(process));
}

TEST_F(embedded_overlap_test, a_server_whose_folder_was_removed_is_found_and_ended_by_force) {
    embedded_server().ensure_running();
    auto const process = server_process();
    std::filesystem::remove_all(folder);
    auto const asked = refusal([] { embedded_server().status(); });
    EXPECT_EQ(asked.reason(), errc::disconnected) << "neither 'runs' nor 'does not run' would be true";
    EXPECT_THAT(asked.what(), HasSubstr(text_of(process)));
    auto const kept = refusal([] { embedded_server().stop(false); });
    EXPECT_THAT(kept.what(), AllOf(HasSubstr(text_of(process)), HasSubstr("--force")));
    EXPECT_TRUE(embedded::is_alive(process));
    EXPECT_TRUE(embedded_server().stop(true));
    EXPECT_FALSE(embedded::is_alive(process));
    embedded_server().ensure_running();
    EXPECT_NE(server_process(), process);
}

TEST_F(embedded_overlap_test, a_moved_folder_makes_no_second_server) {
    embedded_server().ensure_running();
    auto const process = server_process();
    std::filesystem::rename(folder, base.path() / "aside");
    auto const refused = refusal([] { embedded_server().ensure_running(); });
    EXPECT_THAT(refused.what(), HasSubstr(text_of(process)));
    std::filesystem::remove_all(folder);
    std::filesystem::rename(base.path() / "aside", folder);
    embedded_server().ensure_running();
    EXPECT_EQ(server_process(), process);
}

TEST_F(embedded_overlap_test, twelve_starts_while_the_start_lock_is_removed_leave_one_server) {
    embedded_server const server; // makes the folder
    EXPECT_THAT(starts_while_removing(folder / "start.lock"), Each(0));
    // A process that has found the claim taken is in the folder until it has ended, and nobody waits for that.
    EXPECT_TRUE(wait_until([&] { return servers().size() == 1; })) << servers().size() << " servers";
    end_servers();
}

TEST_F(embedded_overlap_test, a_server_that_takes_long_to_start_is_waited_for) {
    // sleeps because that is what is tried: longer than a server may be silent that has listened
    expect_waited_for([](std::string const&) { return ::usleep(3'000'000) == 0; });
}

TEST_F(embedded_overlap_test, a_server_that_takes_long_from_its_bind_to_its_listen_is_waited_for) {
    expect_waited_for([](std::string const& socket) {
        auto const bound = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ::sockaddr_un address{};
        address.sun_family = AF_UNIX;
        socket.copy(address.sun_path, sizeof address.sun_path - 1);
        // sleeps because that is what is tried: the socket is bound when a server may be silent no longer
        ::usleep(2'500'000);
        if (::bind(bound, reinterpret_cast<::sockaddr const*>(&address), sizeof address) != 0) return false;
        // sleeps because that is what is tried: it does not listen, yet
        return ::usleep(50'000) == 0;
    });
}

TEST_F(embedded_overlap_test, a_server_without_a_claim_is_found_too) {
    // As versions before the claim started it: the working directory is all that tells of it.
    embedded_server const made;
    child_process old(
        child_options{{"sh", "-c",
                       "cd '" + folder.string() + "' && exec redis-server --port 0 --save '' --unixsocket '"
                           + folder.string() + "/redis.sock'"},
                      {},
                      {}});
    ASSERT_TRUE(wait_until([&] { return embedded_server().status().running; }));
    auto const process = server_process();
    ASSERT_FALSE(embedded::find_claimant(embedded::claim_address(folder)));
    std::filesystem::remove_all(folder);
    auto const refused = refusal([] { embedded_server().ensure_running(); });
    EXPECT_THAT(refused.what(), HasSubstr(text_of(process)));
    EXPECT_TRUE(embedded_server().stop(true));
    EXPECT_FALSE(embedded::is_alive(process));
}

TEST_F(embedded_overlap_test, the_claim_ends_with_the_server) {
    embedded_server().ensure_running();
    embedded::claim_address const address(folder);
    auto const process = server_process();
    auto const claimant = embedded::find_claimant(address);
    ASSERT_TRUE(claimant);
    EXPECT_EQ(claimant->process, process);
    EXPECT_EQ(claimant->user, ::geteuid());
    ::kill(process, SIGKILL);
    ASSERT_TRUE(embedded::wait_for_end(process, lease_clock::now() + patience));
    EXPECT_FALSE(embedded::find_claimant(address));
}

/// Another user has bound the name of our claim.
class squatter {
public:
    squatter(embedded::claim_address const& address, ::uid_t user, bool listens)
        : process_([address, user, listens, ready = ready_[1], end = end_[0]] {
              auto const made = ::socket(AF_UNIX, SOCK_STREAM, 0);
              if (::setuid(user) != 0 || ::bind(made, address.get(), address.size()) != 0) return 1;
              if (listens && ::listen(made, 5) != 0) return 2;
              [[maybe_unused]] auto const told = ::write(ready, "r", 1);
              char byte = 0;
              [[maybe_unused]] auto const ended = ::read(end, &byte, 1);
              return 0;
          }) {
        char byte = 0;
        EXPECT_EQ(::read(ready_[0], &byte, 1), 1);
    }
    void leave() {
        EXPECT_EQ(::write(end_[1], "e", 1), 1);
        EXPECT_EQ(process_.status(), 0);
    }

private:
    struct pipe_ends {
        pipe_ends() { EXPECT_EQ(::pipe(ends), 0); }
        ~pipe_ends() {
            ::close(ends[0]);
            ::close(ends[1]);
        }
        int operator[](std::size_t which) const { return ends[which]; }
        int ends[2]{};
    };
    pipe_ends ready_;
    pipe_ends end_;
    other_process process_;
};

TEST_F(embedded_overlap_test, a_claim_that_another_user_has_taken_is_refused_and_nobody_is_killed) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
    embedded_server server;
    embedded::claim_address const address(folder);
    squatter other(address, 12345, true);
    auto const refused = refusal([&] { server.ensure_running(); });
    EXPECT_EQ(refused.reason(), errc::bad_config);
    EXPECT_THAT(refused.what(),
                AllOf(HasSubstr("user with id 12345"), HasSubstr(address.text()), HasSubstr("REDLATCH_RUNTIME_DIR")));
    EXPECT_FALSE(server.status().running);
    EXPECT_FALSE(server.stop(true)) << "it is not ours";
    other.leave();
    server.ensure_running();
}

TEST_F(embedded_overlap_test, a_claim_that_is_taken_by_nobody_knows_whom_is_refused) {
    embedded_server server;
    squatter other(embedded::claim_address(folder), ::geteuid(), false);
    auto const refused = refusal([&] { server.ensure_running(); });
    EXPECT_EQ(refused.reason(), errc::bad_config);
    EXPECT_THAT(refused.what(), HasSubstr("has taken its name"));
    EXPECT_TRUE(wait_until([&] { return servers().empty(); })) << "one that was refused its claim ends by itself";
    other.leave();
    server.ensure_running();
}

} // namespace
} // namespace redlatch::test
