"""Memory, threads and descriptors that are missing, and threads that end."""
from table.files import ACQUISITION_UNDO, CORE_THREADS, HOLD, INSIST, LANE, LANE_CONNECTING, TABLE

MUTANTS = [
    ("a lock is given although no thread can renew it", CORE_THREADS,
     "        return problem.code();",
     "        return {};"),
    ("the end of a thread ends the renewal of what it holds", TABLE,
     "        else\n            thread_tenures::leave(*one);",
     "        else {\n"
     "            keeper.forget(one->record->tenures.of(*one));\n"
     "            thread_tenures::leave(*one);\n"
     "        }"),
    ("an acquisition that an exception ends leaves what it has asked for", ACQUISITION_UNDO,
     "!core_->forked()) insist([this] { undo(); });",
     "!core_->forked()) channel_ = nullptr;"),
    ("what must not be left half done is tried once", INSIST,
     "constexpr int most_tries = 50;",
     "constexpr int most_tries = 1;"),
    ("a release in the background that there is no memory for is forgotten", HOLD,
     "        detail::abandon(*state_->core, state_->tenure, state_->level);\n",
     ""),
    ("an asynchronous release that there is no memory for is forgotten", HOLD,
     "        detail::abandon(*core, state_->tenure, state_->level); // given back it is\n",
     ""),
    ("an asynchronous call begins without a thread for its handler", "src/api/async_call.hpp",
     "    if (!on_loop && !in_child) core.start_notifier();",
     ""),
    ("a loss is told when there is a thread for it", CORE_THREADS,
     "if (!reactor_->started() || notifier_.can_run()) return false;",
     "return false;"),
    ("a connection without a bell to wake its readers is up", LANE,
     "                  + \"); raise the limit of open files\";\n        return false;\n",
     "                  + \"); raise the limit of open files\";\n"),
    ("a connection that no bell can be made for is under way for ever", LANE_CONNECTING,
     "if (!up(attempt.attempt.take_wire(), attempt.attempt.self(), there.where, trouble)) on_connect_failed(trouble);",
     "static_cast<void>(up(attempt.attempt.take_wire(), attempt.attempt.self(), there.where, trouble));"),
]
