// All locks whose names match, as one operation of many calls: SCAN to its end, then a look at each key.
#pragma once

#include "io/query.hpp"

#include <redlatch/lock_info.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace redlatch::detail {

class listing final : public io::operation {
public:
    listing(std::shared_ptr<io::client_core> core, std::string pattern);

    bool step() override;
    bool ready() const override;

    std::error_code result() const noexcept { return result_; }
    std::string const& sentence() const noexcept { return sentence_; }
    std::vector<lock_info> take() noexcept { return std::move(found_); }

private:
    /// False: nothing is left to ask.
    bool ask();
    void on_answer();
    void on_page(io::query const& asked);
    void on_look(io::query const& asked);

    std::shared_ptr<io::client_core> core_;
    std::string const pattern_;
    std::string cursor_ = "0";
    bool scanned_ = false;
    std::set<std::string> names_{}; ///< that are still to be looked at; SCAN may name a key twice
    std::optional<io::query> call_{};
    std::vector<lock_info> found_{};
    std::error_code result_{};
    std::string sentence_{};
};

} // namespace redlatch::detail
