#include "peer_process.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace redlatch::bench {

namespace {

constexpr std::chrono::seconds warm_up_limit{120}; // a JVM on half a core warms up slowly
constexpr std::chrono::seconds grace{60};          // beyond the length of a round

struct pipe_ends {
    int read;
    int write;
};

pipe_ends make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    return {ends[0], ends[1]};
}

std::string order_to_play(std::string const& scenario, int workers, std::vector<std::string> const& more) {
    auto order = "play " + scenario + " " + std::to_string(workers);
    for (auto const& each : more) order += " " + each;
    return order;
}

} // namespace

peer_process::peer_process(std::vector<std::string> const& command, std::string const& log) : name_(command.front()) {
    auto const to = make_pipe();
    auto const from = make_pipe();
    int const errors = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    input_ = to.write;
    output_ = from.read;
    try {
        program_ = std::make_unique<background_program>(command, standard_streams{to.read, from.write, errors});
    } catch (...) {
        ::close(to.read), ::close(from.write), ::close(errors), ::close(input_), ::close(output_);
        throw;
    }
    ::close(to.read), ::close(from.write), ::close(errors);
}

peer_process::~peer_process() {
    wake();
    ::close(input_); // its sign to end
    ::close(output_);
}

void peer_process::play(std::string const& scenario, int workers) {
    prepare(scenario, workers);
    await_ready();
}

void peer_process::prepare(std::string const& scenario, int workers, std::vector<std::string> const& more) {
    if (ready_for_ != order_to_play(scenario, workers, more)) prepare_anew(scenario, workers, more);
}

void peer_process::prepare_anew(std::string const& scenario, int workers, std::vector<std::string> const& more) {
    ready_for_.clear();
    auto order = order_to_play(scenario, workers, more);
    tell(order + "\n");
    asked_for_ = std::move(order);
}

void peer_process::await_ready() {
    if (asked_for_.empty()) return;
    if (line(warm_up_limit) != "ready") throw std::runtime_error(name_ + " is not ready");
    ready_for_ = std::exchange(asked_for_, {});
    has_played_ = true;
}

void peer_process::must_run() const {
    pollfd entry{output_, 0, 0};
    if (::poll(&entry, 1, 0) > 0) throw std::runtime_error(name_ + " has ended");
}

void peer_process::begin(std::chrono::milliseconds settle, std::chrono::milliseconds period) {
    tell("go " + std::to_string(settle.count()) + " " + std::to_string(period.count()) + "\n");
}

void peer_process::await_begun() {
    if (line(grace) != "begun") throw std::runtime_error(name_ + " has not begun");
}

void peer_process::sleep() const {
    ::kill(pid(), SIGSTOP);
}

void peer_process::wake() const {
    ::kill(pid(), SIGCONT);
}

void peer_process::tell(std::string const& order) {
    if (::write(input_, order.data(), order.size()) != static_cast<ssize_t>(order.size()))
        throw std::runtime_error(name_ + " takes no orders");
}

peer_round peer_process::result() {
    auto const said = nlohmann::json::parse(line(grace));
    return {said.at("per_worker").get<std::vector<double>>(), said.at("settled").get<double>(),
            said.at("seconds").get<double>(), said.at("p50_us").get<double>(), said.at("p99_us").get<double>()};
}

std::string peer_process::line(std::chrono::seconds patience) {
    auto const until = std::chrono::steady_clock::now() + patience;
    for (;;) {
        if (auto const end = read_.find('\n'); end != std::string::npos) {
            auto result = read_.substr(0, end);
            read_.erase(0, end + 1);
            return result;
        }
        auto const left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        pollfd entry{output_, POLLIN, 0};
        if (left.count() <= 0 || ::poll(&entry, 1, static_cast<int>(left.count())) == 0)
            throw std::runtime_error(name_ + " has not answered within " + std::to_string(patience.count()) + " s");
        char bytes[65536];
        auto const got = ::read(output_, bytes, sizeof bytes);
        if (got <= 0) throw std::runtime_error(name_ + " has ended");
        read_.append(bytes, static_cast<std::size_t>(got));
    }
}

} // namespace redlatch::bench
