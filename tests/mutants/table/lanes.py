"""Who reads, who writes, and the end of a client."""
from table.files import END, LANE, REAPING

MUTANTS = [
    ("whoever leaves the read role passes it to nobody", LANE,
     "        next.woken.add(other->who->as_waker());\n"
     "        return;",
     "        return;"),
    ("the read role is lost", LANE,
     "    read_ = needed ? read::armed : read::none;\n"
     "    if (needed)\n"
     "        arm();",
     "    read_ = read::armed;\n"
     "    if (false)\n"
     "        arm();"),
    ("nobody reads for those who sleep", LANE,
     "traffic_->expects_reply() || traffic_->has_sleepers() ||",
     "traffic_->expects_reply() ||"),
    ("bytes that were not taken are forgotten", LANE,
     "            sent_ += static_cast<std::size_t>(count);",
     "            sent_ = sending_.size();"),
    ("silence is never noticed", LANE,
     "    if (due_since_ == base::never) return base::never;",
     "    return base::never;"),
    ("a lost connection is not made again", LANE,
     "    bool const again = !connecting_ && !resting_;",
     "    bool const again = false;"),
    ("a socket that is closed during a fork stays open in the child", "src/io/open_descriptors.cpp",
     "if (!is_socket(known->identity.load(std::memory_order_relaxed)))",
     "if (!is_socket(known->identity.load(std::memory_order_relaxed)) || known != nullptr)"),
    ("the child of a fork closes what has the number of a socket", "src/io/open_descriptors.cpp",
     "if (identity != 0 && identity_of(descriptor) == identity)",
     "if (identity != 0)"),
    ("closing releases nothing", END,
     "        closing last(*this);\n"
     "        run_blocking(last);\n",
     ""),
    ("closing does not wait for releases of the background that are under way", REAPING,
     "if (!jobs.empty()) awaited->begin(*this);",
     ""),
]
