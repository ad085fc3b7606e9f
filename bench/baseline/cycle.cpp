// redlatch_baseline URI KIND CYCLES: so many uncontended cycles on one thread, for callgrind to count. See check.py.
#include <redlatch/client.hpp>

#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>

namespace {

using redlatch::command_set;
using redlatch::reentrant_lock;

struct kind {
    redlatch::config settings{};
    std::function<void(reentrant_lock&)> cycle;
};

void lock_and_unlock(reentrant_lock& lock) {
    lock.lock();
    lock.unlock();
}

void acquire_and_release(reentrant_lock& lock) {
    lock.acquire().release();
}

std::map<std::string, kind> const kinds{
    {"plain", {{.commands = command_set::plain}, lock_and_unlock}},
    {"scripts", {{.commands = command_set::scripts}, lock_and_unlock}},
    {"hold", {{.commands = command_set::plain}, acquire_and_release}},
    {"detached", {{.commands = command_set::plain, .detached_unlock = true}, lock_and_unlock}},
};

} // namespace

int main(int argc, char** argv) {
    if (argc != 4 || !kinds.contains(argv[2])) {
        std::fputs("redlatch_baseline URI plain|scripts|hold|detached CYCLES\n", stderr);
        return 64;
    }
    try {
        auto chosen = kinds.at(argv[2]);
        chosen.settings.address = argv[1];
        redlatch::client user(chosen.settings);
        auto lock = user.get_lock("baseline");
        for (auto left = std::stol(argv[3]); left > 0; --left) chosen.cycle(lock);
        user.close();
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "redlatch_baseline: %s\n", problem.what());
        return 1;
    }
    return 0;
}
