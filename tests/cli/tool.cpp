#include "tool.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace redlatch::test {

int outcome_of(int wait_status) {
    return WIFSIGNALED(wait_status) ? died_of(WTERMSIG(wait_status)) : WEXITSTATUS(wait_status);
}

stranger::stranger(pid_t pid) : pid_(pid), descriptor_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
    if (!descriptor_) throw std::runtime_error("process " + std::to_string(pid) + " is not there");
}

bool stranger::ends(std::chrono::milliseconds within) const {
    pollfd entry{descriptor_.get(), POLLIN, 0};
    return ::poll(&entry, 1, static_cast<int>(within.count())) == 1;
}

void stranger::kill() const {
    ::syscall(SYS_pidfd_send_signal, descriptor_.get(), SIGKILL, nullptr, 0);
}

char stranger::state() const {
    auto const fields = status();
    return fields.empty() ? '?' : fields[0];
}

pid_t stranger::parent() const {
    auto const fields = status();
    return fields.empty() ? 0 : std::stoi(fields.substr(2));
}

int stranger::threads() const {
    std::error_code ec;
    std::filesystem::directory_iterator const all("/proc/" + std::to_string(pid_) + "/task", ec);
    return static_cast<int>(std::distance(begin(all), end(all)));
}

std::string stranger::status() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
    std::string line;
    std::getline(file, line);
    auto const at = line.rfind(')'); // "1234 (name) S 1 ..."; the name may contain anything
    return at == std::string::npos ? "" : line.substr(at + 2);
}

std::string const& the_tool() {
    // Beside this test's program, so that the test is compiled alike in all builds.
    static std::string const path =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / REDLATCH_TOOL_FROM_HERE).lexically_normal();
    return path;
}

tool_test::tool_test() {
    // Commands whose tool was killed come to us: then it is us who reaps them, whatever the init of this machine does.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

tool_test::~tool_test() = default;

void tool_test::TearDown() {
    if (server.running()) expect_clean(server);
}

std::unique_ptr<child_process> tool_test::start(words arguments, words environment) const {
    arguments.insert(arguments.begin(), the_tool());
    environment.push_back("REDLATCH_SERVER=" + server.uri());
    return std::make_unique<child_process>(child_options{std::move(arguments), std::move(environment), {}});
}

outcome tool_test::run(words arguments, words environment) const {
    auto const tool = start(std::move(arguments), std::move(environment));
    return finish(*tool);
}

outcome tool_test::finish(child_process& tool) {
    tool.close_input();
    outcome result;
    while (auto line = tool.read_line()) result.output += *line + '\n';
    auto const status = tool.wait();
    if (!status) ADD_FAILURE() << "the tool does not end; so far it said: " << tool.error_text();
    result.status = status ? outcome_of(*status) : -1;
    result.errors = tool.error_text();
    return result;
}

words tool_test::script(std::string const& text, words flags, std::string const& name, std::string const& command) {
    words result{command, name};
    result.insert(result.end(), flags.begin(), flags.end());
    result.insert(result.end(), {"--", "sh", "-c", text});
    return result;
}

bool tool_test::becomes_waited_for(std::string const& name) const {
    auto admin = server.admin();
    auto const channel = channel_of(name);
    return wait_until([&] {
        auto const reply = admin.command("PUBSUB", "NUMSUB", channel);
        return reply.items.size() == 2 && reply.items[1].integer > 0;
    });
}

std::int64_t wall_clock() {
    auto const now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::int64_t written_at(std::filesystem::path const& file) {
    struct stat about {};
    if (::stat(file.c_str(), &about) != 0) throw std::runtime_error(file.string() + " was never written");
    return std::int64_t{about.st_mtim.tv_sec} * 1'000 + about.st_mtim.tv_nsec / 1'000'000;
}

std::string line_of(child_process& process) {
    auto line = process.read_line();
    if (!line) ADD_FAILURE() << "no line came; stderr: " << process.error_text();
    return line.value_or("");
}

} // namespace redlatch::test
