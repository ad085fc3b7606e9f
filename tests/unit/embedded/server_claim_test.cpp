#include "embedded/server_claim.hpp"
#include "io/unique_fd.hpp"
#include "support/temporary_folder.hpp"

#include <redlatch/error.hpp>

#include <cerrno>
#include <filesystem>
#include <gmock/gmock.h>
#include <string>
#include <unistd.h>

namespace redlatch::embedded {
namespace {

class server_claim : public ::testing::Test {
protected:
    std::filesystem::path made(std::string const& name) const {
        auto const folder = base_.path() / name;
        std::filesystem::create_directories(folder);
        return folder;
    }

private:
    test::temporary_folder base_;
};

TEST_F(server_claim, has_one_address_for_all_spellings_of_a_folder) {
    auto const folder = made("one");
    auto const expected = "@redlatch:" + std::filesystem::canonical(folder).string();
    EXPECT_EQ(claim_address(folder).text(), expected);
    EXPECT_EQ(claim_address(folder / "").text(), expected);
    EXPECT_EQ(claim_address(made("two") / ".." / "." / "one").text(), expected);
    std::filesystem::create_directory_symlink(folder.parent_path(), folder.parent_path() / "link");
    EXPECT_EQ(claim_address(folder.parent_path() / "link" / "one").text(), expected);
}

TEST_F(server_claim, has_another_address_for_another_folder_however_long) {
    EXPECT_NE(claim_address(made("one")).text(), claim_address(made("two")).text());
    std::string const half(100, 'f');
    auto const first = claim_address(made(half + "/" + half + "1")).text();
    EXPECT_NE(first, claim_address(made(half + "/" + half + "2")).text());
    EXPECT_EQ(first, claim_address(made(half + "/" + half + "1")).text());
    EXPECT_LE(first.size(), sizeof(::sockaddr_un::sun_path));
}

TEST_F(server_claim, needs_a_folder_that_is_there) {
    EXPECT_THROW(claim_address("/no/such/folder"), error);
}

TEST_F(server_claim, is_one_processes_until_it_ends) {
    claim_address const address(made("one"));
    EXPECT_FALSE(find_claimant(address));
    io::unique_fd number(::dup(STDIN_FILENO));
    ASSERT_TRUE(number);
    ASSERT_TRUE(make_claim(address, number.get()));
    auto const found = find_claimant(address);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->process, ::getpid());
    EXPECT_EQ(found->user, ::geteuid());

    io::unique_fd other(::dup(STDIN_FILENO));
    EXPECT_FALSE(make_claim(address, other.get()));
    EXPECT_EQ(errno, EADDRINUSE);
    EXPECT_TRUE(make_claim(claim_address(made("two")), other.get())) << "that of another folder is free";
    EXPECT_TRUE(find_claimant(address));
}

} // namespace
} // namespace redlatch::embedded
