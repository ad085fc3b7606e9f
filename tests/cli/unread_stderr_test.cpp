// --verbose, and whoever reads stderr has stopped reading.
#include "tool.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace redlatch::test {
namespace {

/// A pipe with a name, whose reader decides when to read.
class slow_reader {
public:
    explicit slow_reader(std::filesystem::path const& path)
        : pipe_(::mkfifo(path.c_str(), 0600) == 0 ? ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1) {}

    bool is_there() const { return static_cast<bool>(pipe_); }
    /// Until not a byte more goes into it.
    bool fill() const {
        std::string const many(4096, 'x');
        for (std::size_t size : {many.size(), std::size_t{1}})
            while (::write(pipe_.get(), many.data(), size) > 0) {
            }
        return errno == EAGAIN;
    }
    /// All that can be read now, behind what was read before.
    std::string const& read() {
        char bytes[4096];
        for (ssize_t got = 0; (got = ::read(pipe_.get(), bytes, sizeof bytes)) > 0;)
            text_.append(bytes, static_cast<std::size_t>(got));
        return text_;
    }

private:
    descriptor pipe_;
    std::string text_{};
};

class unread_stderr : public tool_test {
protected:
    void cut_connections() const { server.run("CLIENT", "KILL", "TYPE", "normal"); }
};

TEST_F(unread_stderr, holds_up_no_renewal_and_hears_later_how_much_it_has_missed) {
    auto const path = folder.path() / "errors";
    slow_reader reader(path);
    ASSERT_TRUE(reader.is_there());
    child_process tool(
        {{"sh", "-c",
          "exec " + the_tool() + " run job --verbose --watchdog 2500ms -- sh -c 'echo ready; read line' 2>"
              + path.string()},
         {"REDLATCH_SERVER=" + server.uri()},
         {}});
    ASSERT_EQ(line_of(tool), "ready");
    ASSERT_TRUE(wait_until([&] { return reader.read().find("started 'sh'") != std::string::npos; }));
    ASSERT_TRUE(reader.fill());
    cut_connections(); // of which the I/O thread says something
    auto const first = expiry();
    ASSERT_TRUE(wait_until([&] { return expiry() > first + 2500; })) << "it is renewed beyond what was its lease";
    reader.read();
    cut_connections();
    EXPECT_TRUE(wait_until([&] { return reader.read().find("not shown, because nobody read") != std::string::npos; }));
    tool.write("\n");
    EXPECT_EQ(finish(tool).status, 0);
}

} // namespace
} // namespace redlatch::test
