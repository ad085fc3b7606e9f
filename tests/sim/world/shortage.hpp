// What a simulated process is not given for a while: memory for one request of a call, and threads.
//
// Only what a user's thread asks for is refused: the library's own threads end the program where memory is missing
// (docs/testing.md, `shortage_test`).
#pragma once

#include <cstdint>

namespace redlatch::sim {

struct process;

/// While it lives, one request for memory of the running fiber is refused: that before which it has made `earlier` others.
/// Below zero: none.
class memory_refusal {
public:
    explicit memory_refusal(std::int64_t earlier) noexcept;
    ~memory_refusal();
    memory_refusal(memory_refusal const&) = delete;
    memory_refusal& operator=(memory_refusal const&) = delete;
};

/// While it lives, the requests of the running fiber neither count nor are refused: the world and the checkers make them.
class memory_of_the_world {
public:
    memory_of_the_world() noexcept;
    ~memory_of_the_world();
    memory_of_the_world(memory_of_the_world const&) = delete;
    memory_of_the_world& operator=(memory_of_the_world const&) = delete;

private:
    std::int64_t before_;
};

/// The library would ask for memory here, and what stands for it in the simulated world does not. Throws std::bad_alloc.
void request_memory();

/// A thread of this process is to be started. Throws std::system_error where it gets none.
void request_thread(process const& of);

} // namespace redlatch::sim
