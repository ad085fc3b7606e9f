// redlatch_baseline URI KIND CYCLES: so many uncontended cycles, one after the other, for callgrind to count. See check.py.
#include <redlatch/client.hpp>
#include <redlatch/completion.hpp>

#include <cstdio>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace {

using redlatch::command_set;
using redlatch::reentrant_lock;

struct kind {
    redlatch::config settings{};
    std::function<void(reentrant_lock&, long)> run; ///< so many cycles
};

std::function<void(reentrant_lock&, long)> each(void (*cycle)(reentrant_lock&)) {
    return [cycle](reentrant_lock& lock, long cycles) {
        for (; cycles > 0; --cycles) cycle(lock);
    };
}

void lock_and_unlock(reentrant_lock& lock) {
    lock.lock();
    lock.unlock();
}

void acquire_and_release(reentrant_lock& lock) {
    lock.acquire().release();
}

/// One after the other, each begun by the end of the one before, on the client's I/O thread: what completion tokens and
/// handlers are made of.
class chain {
public:
    chain(reentrant_lock lock, long cycles) : lock_(std::move(lock)), left_(cycles) {}

    void run() {
        acquire();
        ended_.get_future().get();
    }

private:
    struct acquired final : redlatch::completion<redlatch::hold> {
        explicit acquired(chain& of) : of_(of) {}
        void complete(redlatch::outcome const& how, redlatch::hold held) noexcept override {
            std::unique_ptr<acquired> const self(this);
            if (how.failed()) return of_.fail(how.code());
            of_.held_ = std::move(held);
            of_.release();
        }
        void discard() noexcept override { delete this; }
        chain& of_;
    };
    struct released final : redlatch::completion<> {
        explicit released(chain& of) : of_(of) {}
        void complete(redlatch::outcome const& how) noexcept override {
            std::unique_ptr<released> const self(this);
            if (how.failed()) return of_.fail(how.code());
            of_.acquire();
        }
        void discard() noexcept override { delete this; }
        chain& of_;
    };

    void acquire() {
        if (left_-- == 0) return ended_.set_value();
        redlatch::completion_ptr<redlatch::hold> done(new acquired(*this));
        if (auto const end = lock_.start_acquire({.owner = redlatch::owner()}, done)) fail(end->code());
    }
    void release() {
        redlatch::completion_ptr<> done(new released(*this));
        if (auto const end = held_.start_release(done)) fail(end->code());
    }
    void fail(std::error_code code) { ended_.set_exception(std::make_exception_ptr(std::system_error(code))); }

    reentrant_lock lock_;
    long left_;
    redlatch::hold held_;
    std::promise<void> ended_;
};

std::map<std::string, kind> const kinds{
    {"plain", {{.commands = command_set::plain}, each(lock_and_unlock)}},
    {"scripts", {{.commands = command_set::scripts}, each(lock_and_unlock)}},
    {"hold", {{.commands = command_set::plain}, each(acquire_and_release)}},
    {"detached", {{.commands = command_set::plain, .detached_unlock = true}, each(lock_and_unlock)}},
    {"asynchronous",
     {{.commands = command_set::plain}, [](reentrant_lock& lock, long cycles) { chain(lock, cycles).run(); }}},
};

} // namespace

int main(int argc, char** argv) {
    if (argc != 4 || !kinds.contains(argv[2])) {
        std::fputs("redlatch_baseline URI plain|scripts|hold|detached|asynchronous CYCLES\n", stderr);
        return 64;
    }
    try {
        auto chosen = kinds.at(argv[2]);
        chosen.settings.address = argv[1];
        redlatch::client user(chosen.settings);
        auto lock = user.get_lock("baseline");
        chosen.run(lock, std::stol(argv[3]));
        user.close();
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "redlatch_baseline: %s\n", problem.what());
        return 1;
    }
    return 0;
}
