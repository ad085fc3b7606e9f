"""Data races and lost wake-ups: hunted by tests/threads and the tests of src/io under the thread sanitizer."""
from table.files import ACQUISITION, MULTIPLEXER, REACTOR

MUTANTS = [
    ("closing does not wait for acquisitions under way", ACQUISITION,
     "auto const* const unless = core_->closing_flag();",
     "std::atomic<bool> const* const unless = nullptr;"),
    ("a descriptor is closed before both roles are back", "src/io/lane.hpp",
     "(read_ == read::none || read_ == read::armed) && write_ != write::busy",
     "true"),
    ("an answer is announced before it is there", MULTIPLEXER,
     "    (call->heard == 0 ? call->reply : call->second) = std::move(incoming);\n"
     "    finish(*call, call::state::answered, woken);",
     "    finish(*call, call::state::answered, woken);\n"
     "    (call->heard == 0 ? call->reply : call->second) = std::move(incoming);"),
    ("an answer is announced without order", MULTIPLEXER,
     "call.status.store(state, std::memory_order_release);",
     "call.status.store(state, std::memory_order_relaxed);"),
    ("what was posted is taken without the mutex", REACTOR,
     "    std::lock_guard guard(mutex_);\n"
     "    if (own_.empty()) {",
     "    if (own_.empty()) {"),
    ("a timer is cancelled without the mutex", REACTOR,
     "    std::lock_guard guard(mutex_);\n"
     "    auto const found = timer_index_.find(number);",
     "    auto const found = timer_index_.find(number);"),
    ("operations that run are forgotten without the mutex", "src/io/running_tasks.cpp",
     "    std::lock_guard guard(mutex_);\n"
     "    dropped = tasks_.remove(task);",
     "    dropped = tasks_.remove(task);"),
    ("a wake-up between looking and sleeping is lost", "src/io/parker.cpp",
     "    auto const before = word_.exchange(told);",
     "    auto const before = word_.load();\n"
     "    if (before == awake) return;\n"
     "    word_.store(told);"),
]
