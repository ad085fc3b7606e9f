#include "io/login.hpp"

#include "io/password_file.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace redlatch::io {
namespace {

base::instant renewal_of(credentials const& answer, base::instant asked_at) {
    if (!answer.expires) return base::never;
    auto const left = std::chrono::floor<base::milliseconds>(*answer.expires - std::chrono::system_clock::now());
    constexpr base::milliseconds longest_margin = std::chrono::minutes(1);
    if (left <= base::milliseconds::zero()) return base::later(asked_at, login::pause);
    return base::later(asked_at, left - std::min(left / 5, longest_margin));
}

} // namespace

bool login::ask(std::string& problem) {
    try {
        auto answer = source_();
        auto const now = lease_clock::now();
        std::lock_guard const held(mutex_);
        next_time_ = renewal_of(answer, now);
        last_ = std::move(answer);
        return true;
    } catch (std::exception const& failure) {
        problem = failure.what();
    } catch (...) {
        problem = "config::credentials threw something that is not a std::exception";
    }
    return false;
}

connection::greeting login::words(connection::greeting usual) const {
    auto const who = last();
    usual.username = who.username;
    usual.password = who.password;
    return usual;
}

credentials login::last() const {
    std::lock_guard const held(mutex_);
    return last_;
}

base::instant login::next_time() const {
    std::lock_guard const held(mutex_);
    return next_time_;
}

std::shared_ptr<login> login_of(config const& settings, endpoint const& endpoint) {
    if (settings.credentials)
        return std::make_shared<login>([ask = settings.credentials] {
            try {
                return ask();
            } catch (std::exception const& problem) {
                throw error(errc::disconnected, std::string("config::credentials has failed: ") + problem.what());
            }
        });
    if (settings.password_file.empty()) return nullptr;
    return std::make_shared<login>([path = settings.password_file, user = endpoint.username] {
        return redlatch::credentials{.username = user, .password = read_password_file(path)};
    });
}

} // namespace redlatch::io
