// A holder that sleeps through the end of its lease and writes when it wakes up: no lock can stop it, but what it writes to
// can. Each acquisition of a fenced lock has a greater token, and the ledger refuses all that are less than the greatest it has
// seen. A database makes the same comparison in the transaction of the write: examples/fencing.
#include <redlatch/redlatch.hpp>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>

using namespace std::chrono_literals;

namespace {

class ledger {
public:
    void write(std::string const& line, std::optional<std::uint64_t> token) {
        auto const verdict = gate_.admit(token, [&] { std::cout << "written: " << line << '\n'; });
        if (verdict != redlatch::admission::admitted) std::cout << to_string(verdict) << ": " << line << '\n';
    }

private:
    redlatch::fencing_gate gate_;
};

} // namespace

int main() {
    redlatch::client client;
    redlatch::fenced_lock lock = client.get_fenced_lock("ledger");
    ledger book;

    redlatch::hold first = lock.acquire({.lease = 50ms, .owner = redlatch::owner()});
    // It does not look at its hold, as if its process had been stopped, until another one has the lock.
    redlatch::hold second = lock.acquire({.owner = redlatch::owner()});
    book.write("by the second holder", second.token());
    book.write("by the first holder, too late", first.token());
}
