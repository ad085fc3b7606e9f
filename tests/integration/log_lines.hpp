// What the library logs while it lives, from level info on.
#pragma once

#include <redlatch/log.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::test {

class log_lines {
public:
    log_lines() {
        set_log_sink(
            [kept = kept_](log_level, std::string_view line) {
                std::lock_guard const guard(kept->mutex);
                kept->lines.emplace_back(line);
            },
            log_level::info);
    }
    log_lines(log_lines const&) = delete;
    log_lines& operator=(log_lines const&) = delete;
    ~log_lines() { set_log_sink({}); }

    /// In how many lines this stands.
    int count(std::string_view part) const {
        std::lock_guard const guard(kept_->mutex);
        return static_cast<int>(std::count_if(kept_->lines.begin(), kept_->lines.end(), [&](std::string const& line) {
            return line.find(part) != std::string::npos;
        }));
    }
    bool has(std::string_view part) const { return count(part) > 0; }

private:
    struct state {
        std::mutex mutex;
        std::vector<std::string> lines;
    };
    std::shared_ptr<state> const kept_ = std::make_shared<state>();
};

} // namespace redlatch::test
