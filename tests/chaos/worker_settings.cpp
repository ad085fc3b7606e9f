#include "worker_settings.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace redlatch::chaos {

namespace {

constexpr std::array<std::pair<char const*, std::string worker_settings::*>, 6> texts{
    {{"name", &worker_settings::name},
     {"uri", &worker_settings::uri},
     {"mode", &worker_settings::mode},
     {"lock", &worker_settings::lock},
     {"history", &worker_settings::history_file},
     {"counter", &worker_settings::counter_file}}};

constexpr std::array<std::pair<char const*, int worker_settings::*>, 2> numbers{
    {{"threads", &worker_settings::threads}, {"replicas", &worker_settings::replicas}}};

constexpr std::array<std::pair<char const*, milliseconds worker_settings::*>, 11> times{
    {{"first", &worker_settings::first},
     {"section", &worker_settings::section},
     {"pause", &worker_settings::pause},
     {"look", &worker_settings::look},
     {"wait", &worker_settings::wait},
     {"lease", &worker_settings::lease},
     {"watchdog", &worker_settings::watchdog},
     {"timeout", &worker_settings::timeout},
     {"ping", &worker_settings::ping},
     {"scan", &worker_settings::scan},
     {"margin", &worker_settings::margin}}};

} // namespace

std::vector<std::string> worker_settings::to_arguments() const {
    std::vector<std::string> result;
    for (auto const& [key, member] : numbers) result.push_back(std::string(key) + "=" + std::to_string(this->*member));
    for (auto const& [key, member] : texts) result.push_back(std::string(key) + "=" + this->*member);
    for (auto const& [key, member] : times)
        result.push_back(std::string(key) + "=" + std::to_string((this->*member).count()));
    return result;
}

worker_settings worker_settings::from_arguments(std::vector<std::string> const& arguments) {
    worker_settings result;
    for (auto const& argument : arguments) {
        auto const equals = argument.find('=');
        auto const key = argument.substr(0, equals);
        auto const value = equals == std::string::npos ? std::string() : argument.substr(equals + 1);
        bool known = false;
        for (auto const& [name, member] : numbers)
            if (key == name) {
                result.*member = std::stoi(value);
                known = true;
            }
        for (auto const& [name, member] : texts)
            if (key == name) {
                result.*member = value;
                known = true;
            }
        for (auto const& [name, member] : times)
            if (key == name) {
                result.*member = milliseconds(std::stoll(value));
                known = true;
            }
        if (!known) throw std::invalid_argument("unknown argument " + argument);
    }
    return result;
}

} // namespace redlatch::chaos
