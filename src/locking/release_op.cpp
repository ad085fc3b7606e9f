#include "locking/release_op.hpp"

#include <algorithm>

namespace redlatch::locking {

release_op::action release_op::call(commands const& taken) {
    if (!terms_.last)
        form_ = form::count;
    else if (taken.plain)
        form_ = form::plain;
    else // nobody waits for NOSCRIPT: the next acquisition of this owner is to find the lock free
        form_ = terms_.unattended && !taken.script_known ? form::script_text : form::script;
    return {act::call, form_};
}

release_op::action release_op::finish(outcome result, effect then, bool tell_head) {
    outcome_ = result;
    return {.what = act::finish, .then = then, .tell_head = tell_head};
}

release_op::action release_op::give_up(outcome result) {
    return terms_.last ? finish(result, effect::reaped) : finish(outcome::released, effect::none);
}

release_op::action release_op::on_release_answer(release_answer const& answer, bool repeated, bool by_text,
                                                 std::int64_t others, base::instant now, base::instant validity) {
    using kind = release_answer::kind;
    may_have_run_ = may_have_run_ || repeated;
    if (answer.what == kind::not_understood) return on_no_answer();
    if (answer.what == kind::not_held && !(may_have_run_ && now < validity)) return finish(outcome::lost, effect::lost);
    // The attempt of the next local waiter went out behind the first copy, before the one that released. And a head that
    // yields to other processes need not do so where none of them listens.
    bool const need_not_wait = terms_.head_yields && others == 0;
    return finish(outcome::released, effect::released, by_text || may_have_run_ || called_before_ || need_not_wait);
}

release_op::action release_op::on_count_answer(count_answer answer) {
    switch (answer) {
    case count_answer::written: return finish(outcome::released, effect::confirmed);
    case count_answer::not_held: return finish(outcome::lost, effect::lost);
    case count_answer::not_understood: break;
    }
    return finish(outcome::bad_reply, effect::none);
}

release_op::action release_op::on_plain_refused(commands const& taken) {
    called_before_ = true;
    return call(taken);
}

release_op::action release_op::on_error(connection::verdict verdict, base::instant now, base::instant again,
                                        base::instant deadline) {
    switch (verdict) {
    case connection::verdict::read_only:
    case connection::verdict::not_executed:
        if (now >= deadline) return on_no_answer();
        return {.what = act::pause, .until = std::min(again, deadline)};
    case connection::verdict::wrong_type:
        return finish(outcome::wrong_type, terms_.last ? effect::reaped : effect::none);
    case connection::verdict::refused:
    case connection::verdict::no_script: break;
    }
    return finish(outcome::refused, terms_.last ? effect::reaped : effect::none);
}

release_op::action release_op::on_pause_over(commands const& taken) {
    called_before_ = true;
    return call(taken);
}

} // namespace redlatch::locking
