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

/// `field`: of the configuration, where `asked` stands.
std::shared_ptr<login> login_by(std::function<credentials()> const& asked, char const* field) {
    return std::make_shared<login>([asked, field] {
        try {
            return asked();
        } catch (std::exception const& problem) {
            throw error(errc::disconnected, std::string("config::") + field + " has failed: " + problem.what());
        }
    });
}

std::shared_ptr<login> login_with_file(std::string const& path, std::string const& user) {
    return std::make_shared<login>(
        [path, user] { return credentials{.username = user, .password = read_password_file(path)}; });
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
        problem = "what was asked for user and password threw something that is not a std::exception";
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
    if (settings.credentials) return login_by(settings.credentials, "credentials");
    if (settings.password_file.empty()) return nullptr;
    return login_with_file(settings.password_file, endpoint.username);
}

std::shared_ptr<login> login_of_sentinels(config const& settings) {
    auto const& topology = settings.topology;
    if (settings.sentinel_credentials) return login_by(settings.sentinel_credentials, "sentinel_credentials");
    if (topology.sentinel_password_file.empty()) return nullptr;
    return login_with_file(topology.sentinel_password_file, topology.sentinel_username);
}

} // namespace redlatch::io
