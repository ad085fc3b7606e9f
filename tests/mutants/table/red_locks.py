"""The majority of several locks."""
from table.files import MULTI_ACQUISITION, MULTI_HOLD, MULTI_LOCK

MUTANTS = [
    ("a minority is enough", MULTI_LOCK,
     "group->needed = group->members.size() / 2 + 1;",
     "group->needed = group->members.size() / 2;"),
    ("whoever waits for the majority keeps what it has", MULTI_ACQUISITION,
     "asks_all_others(nobody, may_wait_ ? moment() : duration::zero())",
     "asks_all_others(nobody, may_wait_ ? std::chrono::hours(1) : duration::zero())"),
    ("a red lock is valid for as long as the first of its members", MULTI_HOLD,
     "return other && other.valid_until() >= end;",
     "return bool(other);"),
    ("who answers late joins what is lost", MULTI_HOLD,
     "if (released_ || status_now() == hold_status::lost)",
     "if (released_)"),
    ("the loss of a member that joined late is not heard", MULTI_HOLD,
     "        if (lost_.stop_possible()) to_watch.front() = late.lost();\n",
     ""),
    ("who answers late is in nobody's hold", MULTI_ACQUISITION,
     "        whom->join(member, std::move(late));",
     "        static_cast<void>(new hold(std::move(late)));"),
]
