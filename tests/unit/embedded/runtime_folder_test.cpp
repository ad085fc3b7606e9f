#include "embedded/runtime_folder.hpp"
#include "embedded/server_program.hpp"
#include "support/temporary_folder.hpp"

#include <redlatch/embedded_server.hpp>
#include <redlatch/error.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace {

/// A file that somebody removes right before the next flock() of this program.
std::filesystem::path remove_before_next_flock;

} // namespace

/// In place of the C library's.
extern "C" int flock(int descriptor, int operation) noexcept {
    if (!remove_before_next_flock.empty()) ::unlink(std::exchange(remove_before_next_flock, {}).c_str());
    return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
}

namespace redlatch::embedded {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of(std::filesystem::path const& folder) {
    try {
        embedded_server const server(folder);
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::bad_config);
        return problem.what();
    }
    ADD_FAILURE() << "not refused";
    return {};
}

class runtime_folder : public ::testing::Test {
protected:
    std::filesystem::path path(char const* name) const { return base_.path() / name; }

    std::filesystem::path folder_with(::mode_t mode) const {
        auto const folder = path("folder");
        std::filesystem::create_directory(folder);
        EXPECT_EQ(::chmod(folder.c_str(), mode), 0);
        return folder;
    }

private:
    test::temporary_folder base_;
};

TEST_F(runtime_folder, is_made_for_its_owner_only) {
    embedded_server const server(path("new"));
    struct stat status {};
    ASSERT_EQ(::lstat(path("new").c_str(), &status), 0);
    EXPECT_TRUE(S_ISDIR(status.st_mode));
    EXPECT_EQ(status.st_mode & 07777U, 0700U);
    EXPECT_NO_THROW(embedded_server{path("new")}) << "and used when it is there";
}

TEST_F(runtime_folder, must_not_be_open_to_others) {
    for (::mode_t const mode : {0755U, 0710U, 0701U, 0777U, 0720U})
        EXPECT_THAT(refusal_of(folder_with(mode)), AllOf(HasSubstr("chmod 700"), HasSubstr(path("folder").string())));
    EXPECT_THAT(refusal_of(folder_with(0500)), HasSubstr("chmod 700"));
    EXPECT_NO_THROW(embedded_server{folder_with(0700)});
}

TEST_F(runtime_folder, must_not_be_a_link) {
    std::filesystem::create_directory_symlink(folder_with(0700), path("link"));
    EXPECT_THAT(refusal_of(path("link")), HasSubstr("symbolic link"));
    EXPECT_THAT(refusal_of(path("link") / ""), HasSubstr("symbolic link")) << "a slash behind it changes nothing";
    std::filesystem::create_symlink(path("nowhere"), path("dangling"));
    EXPECT_THAT(refusal_of(path("dangling")), HasSubstr("symbolic link"));
}

TEST_F(runtime_folder, must_not_be_a_file) {
    std::ofstream(path("file")) << "text";
    EXPECT_THAT(refusal_of(path("file")), HasSubstr("not a directory"));
}

TEST_F(runtime_folder, must_be_ours) {
    if (::getuid() != 0) GTEST_SKIP() << "only root can make a folder of another user";
    auto const folder = folder_with(0700);
    ASSERT_EQ(::chown(folder.c_str(), 12345, 12345), 0);
    EXPECT_THAT(refusal_of(folder), HasSubstr("belongs to the user with id 12345"));
}

TEST_F(runtime_folder, must_leave_room_for_the_path_of_the_socket) {
    auto const fits = path("").string() + std::string(96 - path("").string().size(), 'f');
    EXPECT_NO_THROW(embedded_server{fits});
    EXPECT_THAT(refusal_of(fits + "x"), HasSubstr("too long"));
}

TEST_F(runtime_folder, needs_a_parent) {
    EXPECT_THAT(refusal_of(path("no") / "such"), HasSubstr("cannot be made: No such file"));
    EXPECT_THAT(refusal_of(""), HasSubstr("names none"));
}

class default_folder_test : public ::testing::Test {
protected:
    ~default_folder_test() override { ::unsetenv("REDLATCH_RUNTIME_DIR"); }
    std::string const of_this_user = "/tmp/redlatch-" + std::to_string(::getuid());
};

TEST_F(default_folder_test, depends_on_the_user_id_alone) {
    ::unsetenv("REDLATCH_RUNTIME_DIR");
    EXPECT_EQ(default_folder(), of_this_user);
    for (char const* const name : {"HOME", "USER", "UID", "TMPDIR", "XDG_RUNTIME_DIR"}) {
        auto const* const former = std::getenv(name);
        std::string const kept = former ? former : "";
        ::setenv(name, "/elsewhere", 1);
        EXPECT_EQ(default_folder(), of_this_user) << name;
        former ? ::setenv(name, kept.c_str(), 1) : ::unsetenv(name);
    }
}

TEST_F(default_folder_test, can_be_overridden_by_an_absolute_path) {
    ::setenv("REDLATCH_RUNTIME_DIR", "/elsewhere", 1);
    EXPECT_EQ(default_folder(), "/elsewhere");
    ::setenv("REDLATCH_RUNTIME_DIR", "", 1);
    EXPECT_EQ(default_folder(), of_this_user);
    ::setenv("REDLATCH_RUNTIME_DIR", "relative/folder", 1);
    EXPECT_THROW(default_folder(), error);
}

TEST_F(default_folder_test, is_refused_to_a_program_with_anothers_rights) {
    if (::getuid() != 0) GTEST_SKIP() << "only root can take another user's rights";
    ASSERT_EQ(::seteuid(12345), 0);
    EXPECT_THROW(default_folder(), error);
    ASSERT_EQ(::seteuid(0), 0);
}

TEST_F(runtime_folder, has_a_lock_that_one_holds_at_a_time) {
    auto const folder = folder_with(0700);
    auto first = start_lock::try_take(folder);
    ASSERT_TRUE(first);
    EXPECT_FALSE(start_lock::try_take(folder));
    first.reset();
    EXPECT_TRUE(start_lock::try_take(folder));
}

TEST_F(runtime_folder, has_a_lock_that_ends_although_a_child_has_a_copy_of_its_descriptor) {
    auto const folder = folder_with(0700);
    auto first = start_lock::try_take(folder);
    ASSERT_TRUE(first);
    auto const child = ::fork(); // as another thread of a host may do at any time
    if (child == 0)
        for (;;) ::pause();
    first.reset();
    EXPECT_TRUE(start_lock::try_take(folder));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

TEST_F(runtime_folder, has_a_lock_that_is_not_on_a_file_that_was_removed) {
    auto const folder = folder_with(0700);
    remove_before_next_flock = folder / "start.lock";
    EXPECT_FALSE(start_lock::try_take(folder)) << "the file was removed between its opening and its locking";
    ASSERT_TRUE(remove_before_next_flock.empty());
    auto const second = start_lock::try_take(folder);
    EXPECT_TRUE(second);
    EXPECT_FALSE(start_lock::try_take(folder));
}

TEST_F(runtime_folder, has_a_lock_that_is_no_link) {
    auto const folder = folder_with(0700);
    std::filesystem::create_symlink(path("target"), folder / "start.lock");
    EXPECT_THROW(start_lock::try_take(folder), error);
    EXPECT_FALSE(std::filesystem::exists(path("target")));
}

class server_program : public runtime_folder {
protected:
    std::filesystem::path program(std::string const& folder, char const* name, ::mode_t mode = 0755) const {
        std::filesystem::create_directory(path(folder.c_str()));
        auto const file = path(folder.c_str()) / name;
        std::ofstream(file) << "#!/bin/sh\n";
        EXPECT_EQ(::chmod(file.c_str(), mode), 0);
        return file;
    }

    std::string search_path() const { return "relative::" + path("a").string() + ":/no/such:" + path("b").string(); }
};

TEST_F(server_program, is_the_first_redis_server_else_valkey_server) {
    EXPECT_EQ(find_server_program(search_path()), std::nullopt);
    EXPECT_EQ(find_server_program(""), std::nullopt);
    auto const valkey = program("a", "valkey-server");
    EXPECT_EQ(find_server_program(search_path()), valkey);
    auto const second = program("b", "redis-server");
    EXPECT_EQ(find_server_program(search_path()), second);
    auto const first = program("a", "redis-server");
    EXPECT_EQ(find_server_program(search_path()), first);
}

TEST_F(server_program, must_be_a_file_that_can_be_run) {
    program("a", "redis-server", 0644);
    std::filesystem::create_directories(path("b") / "redis-server");
    EXPECT_EQ(find_server_program(search_path()), std::nullopt);
}

TEST_F(server_program, is_not_taken_from_where_one_stands) {
    program("a", "redis-server");
    auto const former = std::filesystem::current_path();
    std::filesystem::current_path(path("a"));
    EXPECT_EQ(find_server_program(".:"), std::nullopt);
    std::filesystem::current_path(former);
}

} // namespace
} // namespace redlatch::embedded
