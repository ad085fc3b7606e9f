#include "scripted/refusal.hpp"
#include "support/temporary_folder.hpp"

#include <redlatch/config.hpp>
#include <redlatch/log.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace redlatch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class config_file : public ::testing::Test {
protected:
    std::filesystem::path file(std::string const& text) const {
        std::ofstream(path()) << text;
        return path();
    }

    std::filesystem::path path() const { return folder_.path() / "redisson.yaml"; }

private:
    test::temporary_folder folder_;
};

TEST_F(config_file, is_read) {
    EXPECT_EQ(config::from_file(file("singleServerConfig:\n  address: redis://host:1\n")).address, "redis://host:1");
}

TEST_F(config_file, is_named_when_it_is_refused) {
    auto const broken = file("singleServerConfig:\n  adress: redis://host:1\n  address: redis://host\n");
    EXPECT_THAT(test::refusal([&] { config::from_file(broken); }),
                AllOf(HasSubstr(broken.string()), HasSubstr("line 2: adress"), HasSubstr("address")));
}

TEST_F(config_file, that_is_not_there_is_refused) {
    EXPECT_THAT(test::refusal([&] { config::from_file(path()); }),
                AllOf(HasSubstr(path().string()), HasSubstr("No such file")));
}

TEST_F(config_file, that_is_no_file_is_refused) {
    EXPECT_THAT(test::refusal([&] { config::from_file(path().parent_path()); }), HasSubstr("not a regular file"));
    EXPECT_THAT(test::refusal([] { config::from_file("/dev/zero"); }), HasSubstr("not a regular file"));
    EXPECT_THAT(test::refusal([] { config::from_file(""); }), HasSubstr("No such file"));
    ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
    EXPECT_THAT(test::refusal([&] { config::from_file(path()); }), HasSubstr("not a regular file"));
}

class config_file_with_a_password : public config_file {
protected:
    config_file_with_a_password() {
        set_log_sink([this](log_level, std::string_view line) { warnings_.emplace_back(line); }, log_level::warning);
    }
    ~config_file_with_a_password() override { set_log_sink({}); }

    /// What is said of a file with these lines in singleServerConfig.
    std::vector<std::string> warnings(std::string const& lines, ::mode_t mode) {
        auto const written = file("singleServerConfig:\n" + lines);
        EXPECT_EQ(::chmod(written.c_str(), mode), 0);
        warnings_.clear();
        config::from_file(written);
        return warnings_;
    }

private:
    std::vector<std::string> warnings_;
};

TEST_F(config_file_with_a_password, is_warned_about_if_every_user_may_read_it) {
    for (std::string const lines : {"  address: redis://h\n  password: s3cret\n", "  address: redis://u:s3cret@h\n",
                                    "  address: redis://:s3cret@${REDLATCH_TEST_NONE:-h}\n",
                                    "  address: redis://h\n  password: ${REDLATCH_TEST_NONE:-s3cret}\n"}) {
        EXPECT_THAT(warnings(lines, 0644),
                    ElementsAre(AllOf(HasSubstr(path().string()), HasSubstr("chmod"), Not(HasSubstr("s3cret")))))
            << lines;
        EXPECT_THAT(warnings(lines, 0600), IsEmpty()) << lines;
        EXPECT_THAT(warnings(lines, 0640), IsEmpty()) << "a group is made for that: " << lines;
    }
}

TEST_F(config_file_with_a_password, is_one_only_if_the_password_stands_in_it) {
    ::setenv("REDLATCH_TEST_SECRET", "s3cret", 1);
    for (std::string const lines :
         {"  address: redis://h\n", "  address: redis://h\n  password: null\n",
          "  address: redis://h\n  password: ${REDLATCH_TEST_SECRET}\n",
          "  address: redis://user:${REDLATCH_TEST_SECRET}@h\n", "  address: unix:///run/a:b@c.sock\n"})
        EXPECT_THAT(warnings(lines, 0644), IsEmpty()) << lines;
    ::unsetenv("REDLATCH_TEST_SECRET");
}

TEST_F(config_file, that_is_too_large_is_refused) {
    auto const large = file(std::string((std::size_t{1} << 20) + 1, '#'));
    EXPECT_THAT(test::refusal([&] { config::from_file(large); }), HasSubstr("larger than 1 MiB"));
}

} // namespace
} // namespace redlatch
