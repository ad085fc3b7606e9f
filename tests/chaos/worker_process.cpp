#include "worker_process.hpp"

#include "support/wait_until.hpp"

#include <csignal>
#include <set>
#include <stdexcept>

namespace redlatch::chaos {

namespace {

test::child_options program(library of, programs const& from, worker_settings const& settings,
                            std::vector<std::string> environment) {
    std::vector<std::string> arguments{from.worker};
    if (of == library::redisson)
        arguments = {"java",
                     "-Xmx128m",
                     "-XX:+UseSerialGC",
                     "-XX:TieredStopAtLevel=1",
                     "-cp",
                     from.java_classes + "/interop-peer.jar:" + from.java_classes + "/lib/*",
                     "redlatch.interop.Worker"};
    auto const further = settings.to_arguments();
    arguments.insert(arguments.end(), further.begin(), further.end());
    return {.arguments = std::move(arguments), .environment = std::move(environment)};
}

bool is_stopped(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(file, line);
    auto const at = line.rfind(')');
    return at != std::string::npos && line.substr(at + 1, 2) == " T";
}

} // namespace

worker_process::worker_process(library of, programs const& from, worker_settings settings,
                               std::vector<std::string> environment)
    : settings_(std::move(settings)), process_(program(of, from, settings_, std::move(environment))) {}

void worker_process::stop() const {
    process_.signal(SIGSTOP);
    if (!test::wait_until([this] { return is_stopped(process_.pid()); }))
        throw std::runtime_error("a worker did not stop");
}

void worker_process::kill() {
    process_.signal(SIGKILL);
    process_.wait();
    killed_ = true;
}

bool worker_process::wait_end(milliseconds limit) {
    return process_.wait(limit) == 0;
}

history const& worker_process::so_far() {
    if (!file_.is_open()) file_.open(settings_.history_file);
    file_.clear();
    for (std::string rest; std::getline(file_, rest);) {
        begun_line_ += rest;
        if (file_.eof()) break; // the line has no end yet
        auto const one = from_line(begun_line_);
        if (!one) throw std::runtime_error("not a line of a history: " + begun_line_);
        events_.push_back(*one);
        begun_line_.clear();
    }
    return events_;
}

bool worker_process::each_thread(kind has_done, std::int64_t since) {
    std::set<std::string_view> threads;
    for (auto const& each : so_far())
        if (each.what == has_done && each.at >= since) threads.insert(each.who);
    return threads.size() == static_cast<std::size_t>(settings_.threads);
}

} // namespace redlatch::chaos
