// Uses the installed library from one end to the other, on the private server in the folder that REDLATCH_RUNTIME_DIR names.
#include <redlatch/redlatch.hpp>

#include <iostream>

int main() {
    int holds = 0;
    {
        redlatch::client client;
        redlatch::reentrant_lock lock = client.get_lock("consumer");
        redlatch::hold hold = lock.acquire();
        holds = lock.hold_count();
    }
    redlatch::embedded_server server;
    bool const stopped = server.stop(false);
    std::cout << "redlatch " << REDLATCH_VERSION_STRING << ", holds " << holds << ", stopped " << stopped << '\n';
    return holds == 1 && stopped ? 0 : 1;
}
