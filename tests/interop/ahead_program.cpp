// A process of redlatch's, for a test that has its wall clock moved: it asks once for what others hold.
//
//     ahead_program URI GROUP VALUE SEMAPHORE
//
// It says `wall MS` (since the epoch), `value busy` or `value taken`, `permit busy` or `permit taken`, and ends.
#include <redlatch/redlatch.hpp>

#include <chrono>
#include <exception>
#include <iostream>

int main(int count, char** arguments) {
    if (count != 5) return 64;
    try {
        redlatch::config settings;
        settings.address = arguments[1];
        redlatch::client client(settings);
        auto const now = std::chrono::system_clock::now().time_since_epoch();
        std::cout << "wall " << std::chrono::duration_cast<std::chrono::milliseconds>(now).count() << std::endl;
        auto const value = client.get_faster_multi_lock(arguments[2], {arguments[3]}).try_acquire();
        std::cout << "value " << (value ? "taken" : "busy") << std::endl;
        auto const permit = client.get_permit_semaphore(arguments[4]).try_acquire();
        std::cout << "permit " << (permit ? "taken" : "busy") << std::endl;
        return 0;
    } catch (std::exception const& problem) {
        std::cerr << problem.what() << "\n";
        return 1;
    }
}
