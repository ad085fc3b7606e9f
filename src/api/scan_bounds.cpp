#include "api/scan_bounds.hpp"

#include <algorithm>

namespace redlatch::detail {
namespace {

// A table of keys has at most some tens of slots for each, and a page looks at 500 slots. Others may add keys meanwhile.
constexpr std::uint64_t fewest_pages = 10'000;
constexpr std::uint64_t keys_to_a_page = 10;
constexpr std::uint64_t names_to_a_key = 2;
constexpr std::uint64_t fewest_names = 100'000;
constexpr std::uint64_t most_stale = 100;

} // namespace

void scan_bounds::set_keys(std::int64_t keys) noexcept {
    auto const said = static_cast<std::uint64_t>(std::clamp<std::int64_t>(keys, 0, 1'000'000'000));
    most_pages_ = std::min(most_pages_at_all, fewest_pages + said / keys_to_a_page);
    most_names_ = fewest_names + names_to_a_key * said;
}

std::optional<std::string> scan_bounds::on_page(std::string_view cursor, std::size_t named, std::size_t fresh) {
    ++pages_;
    names_ += fresh;
    stale_ = named > 0 && fresh == 0 ? stale_ + 1 : 0;
    if (cursor == "0") return std::nullopt;
    if (cursor == former_) return "its cursors go in a circle";
    if (stale_ >= most_stale) return "it names the same keys again and again";
    if (names_ > most_names_) return "it has named " + std::to_string(names_) + " keys, more than it says it has";
    if (pages_ >= most_pages_) return "it is not done after " + std::to_string(pages_) + " pages";
    if (++compared_ == replaced_after_) {
        former_ = cursor;
        compared_ = 0;
        replaced_after_ *= 2;
    }
    return std::nullopt;
}

} // namespace redlatch::detail
