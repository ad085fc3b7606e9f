// All semaphores and latches whose names match.
#pragma once

#include "api/key_visit.hpp"
#include "api/listed.hpp"
#include "api/number_questions.hpp"

#include <redlatch/counter_info.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::detail {

class counter_listing final : public key_look {
public:
    static constexpr char const* about = "listing semaphores and latches";

    counter_listing(std::shared_ptr<io::client_core> const& core, std::string_view pattern,
                    listed<counter_info>::visitor each = {});

    char const* subject() const noexcept override { return about; }
    std::vector<key_scan> scans() const override { return {{pattern_, "string"}}; }
    void begin(std::size_t scan, std::vector<std::string> keys) override;
    std::vector<std::string> ask() override;
    void on_answers(io::node& server, std::vector<resp::value> const& answers) override;
    std::vector<counter_info> take() noexcept { return found_.take(); }

private:
    std::string const pattern_;
    number_questions questions_{};
    bool asked_numbers_ = false;          ///< the latest commands are those of questions_
    std::vector<counter_info> numbers_{}; ///< else they ask whether these belong to permit semaphores
    listed<counter_info> found_;
};

} // namespace redlatch::detail
