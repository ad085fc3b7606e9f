"""A free lock is taken and released without a script."""
from table.files import ACQUISITION, MULTIPLEXER, RECIPE, RELEASING, TABLE

MUTANTS = [
    ("a key that exists counts as acquired", ACQUISITION,
     "        return carry_out(op_.on_answer(answer, answered->sent_at, now, sample_));",
     "    {\n"
     "        auto const last = op_.on_answer({locking::acquire_answer::kind::acquired}, answered->sent_at, now, sample_);\n"
     "        return on_answer_read(last, *answered);\n"
     "    }"),
    ("a re-entry is a plain command", ACQUISITION,
     "call_.begin(node_->data(), how.set_count(about, count), waker(), blocking());",
     "plain_ = count > 0, call_.begin(node_->data(), how.plain->acquire(about), waker(), blocking());"),
    ("a release that was cut short is not announced", TABLE,
     "if (!announced) dead.add(",
     "if (false) dead.add("),
    ("a release that was given up half-way counts as not begun", RELEASING,
     "if (half && !half->reply.is_error()) {",
     "if (false) {"),
    ("the second answer stands in place of the first", MULTIPLEXER,
     "(call->heard == 0 ? call->reply : call->second) = std::move(incoming);",
     "call->reply = std::move(incoming);"),
    ("a release whose connection broke half-way is sent again", MULTIPLEXER,
     "if (call->heard > 0) { // its",
     "if (false) { // its"),
    ("an abandoned release takes the answer of the next call", MULTIPLEXER,
     "if (due_.front()->heard + 1 < due_.front()->replies) {",
     "if (!due_.front()->abandoned && due_.front()->heard + 1 < due_.front()->replies) {"),
    ("a plain release publishes elsewhere", RECIPE,
     "std::move(ended), {context.publish, context.channel(), context.message});",
     "std::move(ended), {context.publish, context.name, context.message});"),
    ("a plain acquisition takes no lease along", RECIPE,
     "{std::to_string(context.lease.count()), dumped_hash(",
     "{\"0\", dumped_hash("),
]
