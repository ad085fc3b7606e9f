// Who a connection is for the server, where that changes.
#include "io/login.hpp"
#include "io/password_file.hpp"
#include "scripted/refusal.hpp"
#include "support/temporary_folder.hpp"

#include <redlatch/log.hpp>

#include <fstream>
#include <gmock/gmock.h>
#include <stdexcept>
#include <sys/stat.h>
#include <vector>

namespace redlatch::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

TEST(login, says_what_was_answered_last) {
    int asked = 0;
    login who([&asked] {
        ++asked;
        return credentials{.username = "alice", .password = "pw" + std::to_string(asked)};
    });
    std::string problem;
    ASSERT_TRUE(who.ask(problem));
    ASSERT_TRUE(who.ask(problem));
    auto const words = who.words({.username = "x", .password = "y", .client_name = "job", .database = 3});
    EXPECT_EQ(words.username, "alice");
    EXPECT_EQ(words.password, "pw2");
    EXPECT_EQ(words.client_name, "job");
    EXPECT_EQ(words.database, 3);
    EXPECT_EQ(who.next_time(), base::never);
}

TEST(login, keeps_its_answer_when_there_is_no_other) {
    bool fails = false;
    login who([&fails] {
        if (fails) throw std::runtime_error("the vault is sealed");
        return credentials{.password = "pw"};
    });
    std::string problem;
    ASSERT_TRUE(who.ask(problem));
    fails = true;
    EXPECT_FALSE(who.ask(problem));
    EXPECT_EQ(problem, "the vault is sealed");
    EXPECT_EQ(who.last().password, "pw");
}

TEST(login, takes_an_exception_of_any_kind) {
    login who([]() -> credentials { throw 7; });
    std::string problem;
    EXPECT_FALSE(who.ask(problem));
    EXPECT_THAT(problem, HasSubstr("is not a std::exception"));
}

/// How long after asking it asks again.
base::milliseconds next_after(std::chrono::milliseconds left) {
    login who([left] { return credentials{.expires = std::chrono::system_clock::now() + left}; });
    std::string problem;
    auto const before = lease_clock::now();
    EXPECT_TRUE(who.ask(problem));
    return std::chrono::round<base::milliseconds>(who.next_time() - before);
}

TEST(login, asks_again_before_the_end) {
    // Asking takes as long as the machine wants; what is left is counted from its answer.
    EXPECT_LE(next_after(10min), 9min + 5s);
    EXPECT_GE(next_after(10min), 8min);
    EXPECT_LE(next_after(60s), 53s);
    EXPECT_GE(next_after(60s), 30s);
    EXPECT_GE(next_after(-1h), login::pause) << "one that has expired is not asked for in a loop";
    EXPECT_LE(next_after(-1h), login::pause + 10s);
}

TEST(login, is_there_where_something_may_change) {
    endpoint const where{.username = "alice", .password = "pw"};
    EXPECT_EQ(login_of(config{}, where), nullptr);
    config with_function;
    with_function.credentials = [] { return credentials{.username = "bob", .password = "x"}; };
    std::string problem;
    auto const who = login_of(with_function, where);
    ASSERT_TRUE(who && who->ask(problem));
    EXPECT_EQ(who->last().username, "bob");
}

class password_in_a_file : public ::testing::Test {
protected:
    std::string file(std::string const& text, ::mode_t mode = 0600) const {
        std::ofstream(path()) << text;
        EXPECT_EQ(::chmod(path().c_str(), mode), 0);
        return path();
    }
    std::string path() const { return (folder_.path() / "password").string(); }

private:
    test::temporary_folder folder_;
};

TEST_F(password_in_a_file, ends_before_its_line_feed) {
    EXPECT_EQ(read_password_file(file("secret\n")), "secret");
    EXPECT_EQ(read_password_file(file("secret")), "secret");
    EXPECT_EQ(read_password_file(file("secret\r\n")), "secret");
    EXPECT_EQ(read_password_file(file(" two words \n\n")), " two words \n");
    EXPECT_EQ(read_password_file(file(std::string(10'000, 'x'))).size(), 10'000U);
}

TEST_F(password_in_a_file, has_the_user_of_the_configuration) {
    config settings;
    settings.password_file = file("secret\n");
    auto const who = login_of(settings, {.username = "alice"});
    std::string problem;
    ASSERT_TRUE(who && who->ask(problem)) << problem;
    EXPECT_EQ(who->last().username, "alice");
    EXPECT_EQ(who->last().password, "secret");
    file("other\n");
    ASSERT_TRUE(who->ask(problem)) << problem;
    EXPECT_EQ(who->last().password, "other");
}

TEST_F(password_in_a_file, of_sentinels_has_their_user) {
    config settings{.username = "alice", .password_file = path()};
    EXPECT_FALSE(login_of_sentinels(settings));
    settings.topology.sentinel_username = "watch";
    settings.topology.sentinel_password_file = file("seen");
    auto const who = login_of_sentinels(settings);
    std::string problem;
    ASSERT_TRUE(who && who->ask(problem)) << problem;
    EXPECT_EQ(who->last().username, "watch");
    EXPECT_EQ(who->last().password, "seen");
}

TEST_F(password_in_a_file, that_cannot_be_used_is_named) {
    auto const refusal = [](std::string const& name) { return test::refusal([&] { read_password_file(name); }); };
    EXPECT_THAT(refusal(path()), AllOf(HasSubstr(path()), HasSubstr("No such file")));
    EXPECT_THAT(refusal("/"), HasSubstr("not a regular file"));
    EXPECT_THAT(refusal(file("")), HasSubstr("it is empty"));
    EXPECT_THAT(refusal(file("\n")), HasSubstr("it is empty"));
    EXPECT_THAT(refusal(file(std::string(70'000, 'x'))), HasSubstr("larger than 64 KiB"));
}

TEST_F(password_in_a_file, that_all_may_read_is_warned_of_once) {
    std::vector<std::string> warnings;
    set_log_sink([&](log_level, std::string_view line) { warnings.emplace_back(line); }, log_level::warning);
    read_password_file(file("secret\n"));
    EXPECT_THAT(warnings, IsEmpty());
    read_password_file(file("secret\n", 0644));
    read_password_file(path());
    set_log_sink({});
    EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr(path()), HasSubstr("chmod o-r"))));
}

} // namespace
} // namespace redlatch::io
