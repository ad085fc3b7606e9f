#include "scripted/refusal.hpp"
#include "support/temporary_folder.hpp"

#include <redlatch/config.hpp>
#include <redlatch/log.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <pthread.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
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
    EXPECT_THAT(test::refusal([&] { config::from_file(path().parent_path()); }), HasSubstr("neither a regular file"));
    EXPECT_THAT(test::refusal([] { config::from_file("/dev/zero"); }), HasSubstr("neither a regular file"));
    EXPECT_THAT(test::refusal([] { config::from_file(""); }), HasSubstr("No such file"));
}

TEST_F(config_file, may_be_a_pipe) {
    ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
    EXPECT_THAT(test::refusal([&] { config::from_file(path()); }), HasSubstr("it is empty")) << "nobody writes to it";
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::thread writer([&] {
        for (std::string_view const part : {"singleServerConfig:\n", "  address: redis://host:1\n"}) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20)); // sleeps because the reader is to wait
            EXPECT_EQ(::write(ends[1], part.data(), part.size()), static_cast<ssize_t>(part.size()));
        }
        ::close(ends[1]);
    });
    EXPECT_EQ(config::from_file("/dev/fd/" + std::to_string(ends[0])).address, "redis://host:1");
    writer.join();
    ::close(ends[0]);
}

void no_effect(int) {}

TEST_F(config_file, may_be_a_pipe_whose_reader_is_interrupted) {
    struct ::sigaction before {};
    struct ::sigaction interrupts {};
    interrupts.sa_handler = no_effect;
    ASSERT_EQ(::sigaction(SIGUSR1, &interrupts, &before), 0);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    auto const reader = ::pthread_self();
    std::thread writer([&] {
        for (int i = 0; i < 20; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2)); // sleeps because the reader is to wait
            ::pthread_kill(reader, SIGUSR1);
        }
        std::string_view const text = "singleServerConfig:\n  address: redis://host:1\n";
        EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
        ::close(ends[1]);
    });
    EXPECT_EQ(config::from_file("/dev/fd/" + std::to_string(ends[0])).address, "redis://host:1");
    writer.join();
    ::close(ends[0]);
    ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(config_file, that_is_an_endless_pipe_is_refused) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::thread writer([&] {
        std::string const lines(std::size_t{1} << 16, '#');
        for (int i = 0; i < 17; ++i) EXPECT_GT(::write(ends[1], lines.data(), lines.size()), 0);
    });
    EXPECT_THAT(test::refusal([&] { config::from_file("/dev/fd/" + std::to_string(ends[0])); }),
                HasSubstr("larger than 1 MiB"));
    writer.join();
    ::close(ends[0]);
    ::close(ends[1]);
}

class config_file_of_spring : public config_file {
protected:
    /// Beside it.
    std::filesystem::path other(std::string const& text) const {
        auto name = path().parent_path() / "other.yaml";
        std::ofstream(name) << text;
        return name;
    }

    config naming(std::string const& name) const {
        return config::from_file(file("spring:\n  redis:\n    redisson:\n      file: " + name + "\n"));
    }
};

TEST_F(config_file_of_spring, names_a_file_beside_it_or_anywhere) {
    auto const whole = other("singleServerConfig: {address: 'redis://host:1'}").string();
    for (auto const& name :
         {std::string("other.yaml"), std::string("classpath:other.yaml"), std::string("classpath:/other.yaml"),
          "file:" + whole, "file://" + whole, std::string("${REDLATCH_TEST_NONE:other.yaml}")})
        EXPECT_EQ(naming(name).address, "redis://host:1") << name;
}

TEST_F(config_file_of_spring, may_be_named_where_its_text_stands_in_later_versions) {
    auto const whole = other("singleServerConfig: {address: 'redis://host:1'}").string();
    for (auto const& name : {std::string("classpath:other.yaml"), "file:" + whole, std::string("other.yaml")})
        EXPECT_EQ(config::from_file(file("spring.redis.redisson.config: " + name)).address, "redis://host:1") << name;
}

TEST_F(config_file_of_spring, has_own_settings_beside_those_of_the_other_file) {
    other("singleServerConfig: {address: 'redis://host:1'}");
    EXPECT_EQ(
        config::from_file(file("spring.redis.redisson.file: other.yaml\nredlatch: {watchedHolds: 3}")).watched_holds,
        3);
}

TEST_F(config_file_of_spring, is_refused_with_the_name_of_what_is_wrong) {
    EXPECT_THAT(test::refusal([&] { naming("nowhere.yaml"); }),
                AllOf(HasSubstr("nowhere.yaml"), HasSubstr("No such file")));
    EXPECT_THAT(test::refusal([&] { naming("https://host/other.yaml"); }),
                AllOf(HasSubstr("line 4: redisson.file"), HasSubstr("needs a file")));
    EXPECT_THAT(test::refusal([&] { naming("''"); }), HasSubstr("needs a file"));
    auto const name = other("singleServerConfig: {adress: 'redis://host:1'}");
    EXPECT_THAT(test::refusal([&] { naming("other.yaml"); }),
                AllOf(HasSubstr(name.string()), HasSubstr("line 1: adress")));
    other("spring.redis.redisson.file: other.yaml");
    EXPECT_THAT(test::refusal([&] { naming("other.yaml"); }), HasSubstr("spring.redis.redisson.file is not known"))
        << "what is named names no other";
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
        return said_of(written);
    }

    std::vector<std::string> said_of(std::filesystem::path const& written) {
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

TEST_F(config_file_with_a_password, is_the_one_that_is_warned_about) {
    auto const other = path().parent_path() / "other.yaml";
    std::ofstream(other) << "singleServerConfig: {address: 'redis://h', password: hunter2}";
    auto const naming = file("spring.redis.redisson.file: other.yaml");
    for (auto const& each : {naming, other}) EXPECT_EQ(::chmod(each.c_str(), 0644), 0);
    EXPECT_THAT(said_of(naming), ElementsAre(HasSubstr(other.string())));
    EXPECT_EQ(::chmod(other.c_str(), 0600), 0);
    EXPECT_THAT(said_of(naming), IsEmpty());
    std::ofstream(other) << "singleServerConfig: {address: 'rediss://h'}";
    file("spring.redis.redisson.file: other.yaml\nredlatch: {tlsCertificateFile: /own.pem, tlsKeyPassword: hunter2}");
    EXPECT_THAT(said_of(naming), ElementsAre(HasSubstr(naming.string())));
}

} // namespace
} // namespace redlatch
