// A holder that sleeps through the end of its lease and writes when it wakes up: no lock can stop it, but what it writes to
// can. Each acquisition of a fenced lock has a greater token, and the store refuses all that are less than the greatest it has
// seen.
#include <redlatch/redlatch.hpp>

#include <cstdint>
#include <iostream>
#include <string>

using namespace std::chrono_literals;

namespace {

/// In place of a database, which would compare and write in one transaction:
/// UPDATE ledger SET line = :line, token = :token WHERE id = 1 AND token <= :token
class ledger {
public:
    void write(std::string const& line, std::uint64_t token) {
        if (token < greatest_) {
            std::cout << "refused: " << line << '\n';
            return;
        }
        greatest_ = token;
        std::cout << "written: " << line << '\n';
    }

private:
    std::uint64_t greatest_ = 0;
};

} // namespace

int main() {
    redlatch::client client;
    redlatch::fenced_lock lock = client.get_fenced_lock("ledger");
    ledger book;

    redlatch::hold first = lock.acquire({.lease = 50ms, .owner = redlatch::owner()});
    // It does not look at its hold, as if its process had been stopped, until another one has the lock.
    redlatch::hold second = lock.acquire({.owner = redlatch::owner()});
    book.write("by the second holder", *second.token());
    book.write("by the first holder, too late", *first.token());
}
