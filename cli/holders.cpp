#include "holders.hpp"

#include "durations.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unistd.h>

namespace redlatch::cli {
namespace {

constexpr std::size_t longest_holder = 160; // a label of 128, or an id as nobody writes it

/// Of a holder or a waiter.
template <typename T> std::string text_of_party(T const& party) {
    auto const id = shortened(party.owner, longest_holder);
    return party.label ? shortened(*party.label, longest_holder) + " (" + id + ")" : id;
}

} // namespace

std::string text_of_holders(lock_info const& lock) {
    auto const& owners = lock.owners;
    if (owners.empty()) return "nobody";
    // Who has released it does not hold it beside others that do.
    auto const holds = std::find_if(owners.begin(), owners.end(), [](lock_owner const& one) { return !one.released; });
    auto const& first = holds == owners.end() ? owners.front() : *holds;
    auto const count = std::count_if(owners.begin(), owners.end(), [](auto const& one) { return !one.released; });
    auto text = text_of_party(first);
    if (count > 1 || lock.truncated)
        text += (lock.truncated ? " and at least " : " and ") + std::to_string(std::max<std::ptrdiff_t>(count, 2) - 1)
                + " more";
    return text;
}

bool is_in_minimum_hold(lock_info const& lock) {
    return !lock.owners.empty() && !lock.truncated
           && std::all_of(lock.owners.begin(), lock.owners.end(), [](auto const& one) { return one.released; });
}

std::string text_of_minimum_hold(lock_info const& lock) {
    std::string const text = "its last holder has released it, and the rest is its minimum hold";
    return lock.remaining_lease ? text + ", " + to_rounded_text(*lock.remaining_lease) + " still" : text;
}

bool is_kept_for_a_waiter(lock_info const& lock) {
    return !lock.held && !lock.waiters.empty();
}

std::string text_of(lock_waiter const& waiter) {
    return text_of_party(waiter);
}

std::string text_of_queue(lock_info const& lock) {
    auto const& first = lock.waiters.front();
    auto text = "nobody holds it, and it is kept for the first of its queue, " + text_of(first);
    if (!first.passed_over_in) return text;
    return text + ", which is passed over in " + to_rounded_text(*first.passed_over_in) + " unless it asks again";
}

void label_holds(config& settings, std::string_view program) {
    if (settings.holder_label || !settings.client_name.empty()) return;
    constexpr std::size_t longest_label = 128;
    std::array<char, 65> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host = {"?"};
    auto label = std::string(host.data()) + ":" + std::to_string(::getpid()) + ":";
    label += program.substr(program.rfind('/') + 1); // npos + 1 = 0
    label.resize(std::min(label.size(), longest_label));
    std::replace_if(
        label.begin(), label.end(), [](char byte) { return byte < '!' || byte > '~'; }, '_');
    settings.holder_label = std::move(label);
}

} // namespace redlatch::cli
