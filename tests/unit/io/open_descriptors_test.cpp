#include "io/open_descriptors.hpp"
#include "io/unique_fd.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <optional>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace redlatch::io {
namespace {

bool is_open(int descriptor) {
    return ::fcntl(descriptor, F_GETFD) >= 0;
}

unique_fd opened() {
    return unique_fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

/// Zero, or the number of the first step that went wrong in the child of a fork.
template <class Function> int in_child(Function&& step) {
    auto const child = ::fork();
    if (child == 0) ::_exit(step());
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

TEST(open_descriptors, of_this_process_are_not_closed) {
    auto const mine = opened();
    close_descriptors_of_parent();
    EXPECT_TRUE(is_open(mine.get()));
}

TEST(open_descriptors, of_the_parent_are_closed_in_the_child_and_there_alone) {
    auto const mine = opened();
    auto moved = opened();
    auto const other = std::move(moved);
    int const not_ours = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(in_child([&] {
                  close_descriptors_of_parent();
                  if (is_open(mine.get())) return 1;
                  if (is_open(other.get())) return 2;
                  return is_open(not_ours) ? 0 : 3;
              }),
              0);
    EXPECT_TRUE(is_open(mine.get()));
    EXPECT_TRUE(is_open(other.get()));
    ::close(not_ours);
}

TEST(open_descriptors, that_were_closed_in_time_are_not_closed_again) {
    int number = -1;
    {
        auto const mine = opened();
        number = mine.get();
    }
    int const not_ours = ::dup2(STDIN_FILENO, number);
    EXPECT_EQ(in_child([&] {
                  close_descriptors_of_parent();
                  return is_open(not_ours) ? 0 : 1;
              }),
              0);
    ::close(not_ours);
}

TEST(open_descriptors, whose_number_another_file_of_the_child_has_are_not_closed_again) {
    std::optional<unique_fd> mine = opened();
    int const number = mine->get();
    EXPECT_EQ(in_child([&] {
                  close_descriptors_of_parent();
                  int const not_ours = ::dup2(STDIN_FILENO, number);
                  close_descriptors_of_parent();
                  if (!is_open(not_ours)) return 1;
                  mine.reset();
                  return is_open(not_ours) ? 0 : 2;
              }),
              0);
    EXPECT_TRUE(is_open(number));
    mine.reset();
    EXPECT_FALSE(is_open(number));
}

/// A socket that is closed while fork() copies the descriptors: it is in the child, whose memory says that it was closed.
TEST(open_descriptors, that_were_being_closed_are_closed_in_the_child) {
    unique_fd mine(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int const number = mine.get();
    int const copy = ::dup(number);
    mine.reset();
    ASSERT_EQ(::dup2(copy, number), number);
    EXPECT_EQ(in_child([&] {
                  close_descriptors_of_parent();
                  return is_open(number) ? 1 : 0;
              }),
              0);
    ::close(number);
    ::close(copy);
}

TEST(open_descriptors, whose_number_another_socket_has_are_not_closed) {
    unique_fd mine(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int const number = mine.get();
    mine.reset();
    int const not_ours = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(not_ours, number);
    EXPECT_EQ(in_child([&] {
                  close_descriptors_of_parent();
                  return is_open(not_ours) ? 0 : 1;
              }),
              0);
    ::close(not_ours);
}

TEST(open_descriptors, of_the_child_stay_open_there) {
    auto const mine = opened();
    EXPECT_EQ(in_child([&] {
                  auto const its = opened();
                  close_descriptors_of_parent();
                  if (!is_open(its.get())) return 1;
                  return is_open(mine.get()) ? 2 : 0;
              }),
              0);
}

TEST(open_descriptors, of_high_numbers_are_closed_too) {
    int const high = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 1000);
    ASSERT_GE(high, 1000);
    unique_fd const mine(high);
    EXPECT_EQ(in_child([&] {
                  close_descriptors_of_parent();
                  return is_open(high) ? 1 : 0;
              }),
              0);
}

/// Beyond what Linux lets a process have (fs.nr_open).
TEST(open_descriptors, that_no_process_can_have_are_not_noted) {
    constexpr int beyond = 1'048'576;
    note_opened(beyond);
    EXPECT_EQ(in_child([&] { return note_closed(beyond) ? 0 : 1; }), 0) << "what is noted is the parent's there";
}

} // namespace
} // namespace redlatch::io
