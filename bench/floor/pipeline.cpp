#include "floor/pipeline.hpp"

#include <stdexcept>
#include <sys/socket.h>

namespace redlatch::bench {

pipeline::pipeline(address const& where, form which, int in_flight, std::string const& prefix) : connection_(where) {
    if (which == form::scripts)
        for (auto const& each : script_loads()) connection_.ask(raw_command(each));
    for (int number = 0; number < in_flight; ++number) {
        lock_requests const requests(which, prefix + ":" + std::to_string(number), "raw:" + std::to_string(number));
        cycle one{raw_command(requests.acquire), {}};
        for (auto const& each : requests.release) one.release += raw_command(each);
        release_lines_ = requests.release.size();
        cycles_.push_back(std::move(one));
    }
    for (std::size_t number = 0; number < cycles_.size(); ++number) ask(number, false);
}

std::uint64_t pipeline::turn() {
    connection_.send(out_);
    out_.clear();
    char fresh[65536];
    auto const got = ::recv(connection_.descriptor(), fresh, sizeof fresh, 0);
    if (got <= 0) throw std::runtime_error("the server has closed the connection");
    in_.append(fresh, static_cast<std::size_t>(got));
    std::uint64_t ended = 0;
    std::size_t begin = 0;
    // All answers have one line.
    for (std::size_t end; (end = in_.find('\n', begin)) != std::string::npos; begin = end + 1)
        ended += answered(std::string_view(in_).substr(begin, end + 1 - begin));
    in_.erase(0, begin);
    return ended;
}

void pipeline::finish() {
    finishing_ = true;
    while (!due_.empty()) turn();
}

std::uint64_t pipeline::answered(std::string_view line) {
    auto& next = due_.front();
    // Acquired: nil of the script, OK of RESTORE. Released: not 0 of either; what PUBLISH says is not asked for.
    bool const first_of_release = next.releases && next.lines == release_lines_;
    bool const refused = next.releases ? first_of_release && line == ":0\r\n" : line[0] == ':';
    if (line[0] == '-' || line.starts_with(":-") || refused)
        throw std::runtime_error("the server says " + std::string(line));
    if (--next.lines > 0) return 0;
    auto const done = next;
    due_.pop_front();
    if (!done.releases)
        ask(done.cycle, true);
    else if (!finishing_)
        ask(done.cycle, false);
    return done.releases ? 1 : 0;
}

void pipeline::ask(std::size_t which, bool release) {
    out_ += release ? cycles_[which].release : cycles_[which].acquire;
    due_.push_back({which, release, release ? release_lines_ : 1});
}

} // namespace redlatch::bench
