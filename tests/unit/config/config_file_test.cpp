#include "refusal.hpp"
#include "support/temporary_folder.hpp"

#include <redlatch/config.hpp>

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <sys/stat.h>

namespace redlatch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

TEST_F(config_file, that_is_too_large_is_refused) {
    auto const large = file(std::string((std::size_t{1} << 20) + 1, '#'));
    EXPECT_THAT(test::refusal([&] { config::from_file(large); }), HasSubstr("larger than 1 MiB"));
}

} // namespace
} // namespace redlatch
