#include "permit_request.hpp"

#include "exit_code.hpp"
#include "text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace redlatch::cli {
namespace {

constexpr int most_at_once = 1'000; // each has an id
constexpr int most_in_all = std::numeric_limits<int>::max();

/// A whole number from 1 to `most`.
std::optional<int> positive_number(std::string_view text, int most) {
    int value = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size() || value < 1 || value > most) return std::nullopt;
    return value;
}

std::string shown(permit_info const& semaphore) {
    return "the permit semaphore '" + printable(semaphore.name) + "'";
}

std::string counted(std::int64_t permits) {
    return std::to_string(permits) + (permits == 1 ? " permit" : " permits");
}

} // namespace

std::string permit_request::text() const {
    return std::to_string(permits) + (of ? "/" + std::to_string(*of) : "");
}

permit_request parse_permit_request(std::string const& text) {
    auto const slash = text.find('/');
    auto const permits = positive_number(std::string_view(text).substr(0, slash), most_at_once);
    std::optional<int> of;
    if (slash != std::string::npos) of = positive_number(std::string_view(text).substr(slash + 1), most_in_all);
    if (!permits || (slash != std::string::npos && !of))
        throw usage_error("--permits: '" + printable(text)
                          + "' is neither N nor N/OF, as in 1/3: N permits, 1 to 1000, of OF in all, 1 to 2147483647");
    if (of && *permits > *of)
        throw usage_error("--permits " + text
                          + " asks for more permits than there would be in all: give N/OF with N up to OF");
    return {*permits, of};
}

void require_total(permit_info const& semaphore, permit_request const& request) {
    auto const refuse = [](std::string const& message) { throw error(errc::invalid_argument, message); };
    auto const total = semaphore.permits;
    if (!semaphore.is_set)
        refuse(shown(semaphore) + " is not set: say how many permits there are in all, as in --permits "
               + std::to_string(request.permits) + "/OF, or set it before: redlatch permits set NAME OF");
    if (request.of && total != *request.of)
        refuse(shown(semaphore) + " has " + counted(total) + " in all, and --permits " + request.text() + " says "
               + std::to_string(*request.of)
               + ": say the same number everywhere, or change it on the server: redlatch permits " + "set NAME "
               + std::to_string(*request.of) + " --resize");
    if (request.permits > total)
        refuse(shown(semaphore) + " has " + counted(total) + " in all, fewer than the "
               + std::to_string(request.permits)
               + " of --permits: ask for fewer, or change it on the server: redlatch permits set NAME OF --resize");
}

std::string permits_with(std::string const& more) {
    char const* const outer = std::getenv(permits_variable);
    return outer == nullptr || *outer == '\0' ? more : std::string(outer) + ' ' + more;
}

void refuse_to_wait_for_permits_around(std::string_view around, permit_info const& semaphore,
                                       permit_request const& request) {
    auto const held =
        std::count_if(semaphore.leases.begin(), semaphore.leases.end(),
                      [around](taken_permit const& one) { return around.find(one.id) != std::string_view::npos; });
    if (held == 0 || semaphore.permits - held >= request.permits) return;
    throw error(
        errc::invalid_argument,
        counted(held) + " of " + shown(semaphore) + (held == 1 ? " is" : " are")
            + " held by the redlatch run around this command, which waits for the command to end, and of the "
            + std::to_string(semaphore.permits) + " in all too few are left for " + std::to_string(request.permits)
            + " more: neither would ever go on; run it without another redlatch run, or say --wait or --no-wait");
}

} // namespace redlatch::cli
