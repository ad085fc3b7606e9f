#include "sim/check/history.hpp"

#include <array>
#include <cstdio>

namespace redlatch::sim {
namespace {

constexpr std::array names{"asks",
                           "acquired",
                           "did not acquire",
                           "believes",
                           "is told of its loss",
                           "releases",
                           "released",
                           "is gone",
                           "unpromised",
                           "was missed",
                           "returned",
                           "is forced out of",
                           "FAULT",
                           "quiet",
                           "key exists",
                           "hold in key",
                           "ORPHAN",
                           "STOPPED",
                           "goes on",
                           "left over",
                           "never ended",
                           "renews",
                           "enters again",
                           "in the key",
                           "the server answers about",
                           "closes",
                           "wants permits of",
                           "took permits of",
                           "took no permits of",
                           "gives permits back to",
                           "gave permits back to",
                           "permits there are of",
                           "waits for",
                           "went through",
                           "counts down",
                           "counted down",
                           "sets",
                           "has set",
                           "the count is of",
                           "watches",
                           "sees a leader of",
                           "wants all of",
                           "has all of",
                           "believes in the majority of",
                           "has the majority of",
                           "sent and woke",
                           "was told of replicas that have",
                           "was told of too few replicas that have",
                           "is answered by a former master of"};
constexpr std::array beliefs{"held", "suspect", "lost"};

/// Its end tells an owner from others of its client, its beginning a permit.
std::string in_short(std::string const& owner) {
    auto const number = owner.rfind(':');
    if (number == owner.npos) return owner.substr(0, 8);
    return owner.substr(owner.size() > 12 ? number - 4 : 0);
}

} // namespace

std::string to_text(fact const& one) {
    char time[32];
    std::snprintf(time, sizeof time, "%12.3f ms  ", static_cast<double>(one.when.count()) / 1e6);
    std::string line = time;
    if (one.process >= 0) line += "process " + std::to_string(one.process) + " ";
    if (one.worker >= 0) line += "worker " + std::to_string(one.worker) + " ";
    line += names.at(static_cast<std::size_t>(one.what));
    if (one.what == fact::kind::believes) line += std::string(" ") + beliefs.at(static_cast<std::size_t>(one.believed));
    if (one.lock >= 0) line += " lock-" + std::to_string(one.lock);
    if (!one.owner.empty()) line += " as " + in_short(one.owner);
    if (one.what == fact::kind::probe || one.what == fact::kind::probe_hold || one.what == fact::kind::in_key
        || one.what == fact::kind::answered)
        line += one.yes ? ": yes" : ": no";
    if (one.amount != 0) line += ": " + std::to_string(one.amount);
    if (one.taken != 0) line += ", taken: " + std::to_string(one.taken);
    if (one.least != 0) line += ", at least: " + std::to_string(one.least);
    if (!one.text.empty()) line += ": " + one.text;
    return line;
}

} // namespace redlatch::sim
