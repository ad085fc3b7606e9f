#include "faults.hpp"

#include "board.hpp"

#include <thread>

namespace redlatch::soak {

namespace {

void during(std::chrono::milliseconds length) {
    // sleeps because the length of a fault, and the time between two, is what is chosen
    std::this_thread::sleep_for(length);
}

} // namespace

std::string_view name_of(fault which) noexcept {
    switch (which) {
    case fault::kill_connections: return "CLIENT KILL storms";
    case fault::sleep: return "DEBUG SLEEP";
    case fault::stop: return "SIGSTOP of the server";
    case fault::flush_scripts: return "SCRIPT FLUSH";
    case fault::delete_keys: return "DEL of keys";
    case fault::restart: return "restarts with data";
    case fault::crash: return "kill -9 and restart with data";
    }
    return "";
}

int injector::below(int limit) {
    return std::uniform_int_distribution(0, limit - 1)(chance_);
}

void injector::next() {
    during(std::chrono::milliseconds(300 + below(2700)));
    make(all_faults[static_cast<std::size_t>(below(static_cast<int>(all_faults.size())))]);
}

void injector::make(fault which) {
    ++counts_.at(static_cast<std::size_t>(which));
    switch (which) {
    case fault::kill_connections:
        for (int i = 0; i < 5; ++i) {
            auto admin = server_->admin();
            admin.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            admin.command("CLIENT", "KILL", "TYPE", "pubsub");
            during(std::chrono::milliseconds(20));
        }
        break;
    case fault::sleep: server_->run("DEBUG", "SLEEP", "0." + std::to_string(1 + below(9))); break;
    case fault::stop:
        server_->pause();
        // Beyond the leases of three seconds now and then.
        during(std::chrono::milliseconds(200 + below(4300)));
        server_->resume();
        break;
    case fault::flush_scripts: server_->run("SCRIPT", "FLUSH"); break;
    case fault::delete_keys:
        for (std::size_t i = 0; i < abused_locks; ++i) server_->run("DEL", abused_name(i));
        break;
    case fault::restart: server_->restart(test::redis_server::data::kept); break;
    case fault::crash:
        server_->kill9();
        during(std::chrono::milliseconds(below(1500)));
        server_->restart(test::redis_server::data::kept);
        break;
    }
}

} // namespace redlatch::soak
