#include "embedded/server_process.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait_until.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace redlatch::embedded {
namespace {

/// As /proc/PID/stat has it; '?': not there.
char state_of(::pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    std::getline(file, line);
    auto const end_of_name = line.rfind(')');
    return end_of_name == std::string::npos ? '?' : line[end_of_name + 2];
}

TEST(is_alive, follows_a_process_to_its_end) {
    auto const process = ::fork();
    if (process == 0)
        for (;;) ::pause();
    EXPECT_TRUE(is_alive(process));
    ::kill(process, SIGKILL);
    EXPECT_TRUE(test::wait_until([process] { return !is_alive(process); })) << "nobody has reaped it, but it has ended";
    ::waitpid(process, nullptr, 0);
    EXPECT_FALSE(is_alive(process));
}

TEST(is_alive, counts_a_process_whose_first_thread_alone_has_ended) {
    // A server that ends closes its sockets on other threads, when its first one is a zombie already.
    auto const process = ::fork();
    if (process == 0) {
        std::thread([] {
            for (;;) ::pause();
        }).detach();
        ::syscall(SYS_exit, 0); // this thread alone
    }
    ASSERT_TRUE(test::wait_until([process] { return state_of(process) == 'Z'; }));
    EXPECT_TRUE(is_alive(process));
    ::kill(process, SIGKILL);
    EXPECT_TRUE(test::wait_until([process] { return !is_alive(process); }));
    ::waitpid(process, nullptr, 0);
}

/// A folder can be opened as a file, but not read; so is the file of a process that ends in between.
TEST(server_process, reads_nothing_from_files_that_cannot_be_read) {
    test::temporary_folder const folder;
    std::filesystem::create_directory(folder.path() / "redis.log");
    std::filesystem::create_directory(folder.path() / "redis.pid");
    EXPECT_EQ(last_words(folder.path()), "");
    EXPECT_EQ(find_server_process(folder.path()), std::nullopt);
}

} // namespace
} // namespace redlatch::embedded
