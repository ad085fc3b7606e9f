#include "holders.hpp"

#include "text.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>

namespace redlatch::cli {
namespace {

constexpr std::size_t longest_holder = 160; // a label of 128, or an id as nobody writes it

} // namespace

std::string text_of_holders(std::span<lock_owner const> owners) {
    if (owners.empty()) return "nobody";
    auto const& first = owners.front();
    auto const id = shortened(first.owner, longest_holder);
    auto text = first.label ? shortened(*first.label, longest_holder) + " (" + id + ")" : id;
    if (owners.size() > 1) text += " and " + std::to_string(owners.size() - 1) + " more";
    return text;
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
