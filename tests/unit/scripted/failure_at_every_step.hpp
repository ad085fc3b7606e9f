// Scripted dialogues, each again with a failure after every step.
#pragma once

#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace redlatch::scripted {

/// One line of a dialogue with a state machine.
template <class Subject> struct step {
    std::string what;
    std::function<void(Subject&)> happens;
};

template <class Subject> using dialogue = std::vector<step<Subject>>;

/// Runs the first `steps` lines.
template <class Subject> void play(dialogue<Subject> const& lines, std::size_t steps, Subject& subject) {
    for (std::size_t i = 0; i < steps; ++i) lines[i].happens(subject);
}

/// For every prefix of the dialogue, the empty and the whole one too: a new subject, the prefix, then `fail(subject, steps)`,
/// which injects the failure and looks at what it brought about.
template <class Subject, class Fail> void fail_after_every_step(dialogue<Subject> const& lines, Fail const& fail) {
    for (std::size_t steps = 0; steps <= lines.size(); ++steps) {
        SCOPED_TRACE("failure after " + (steps == 0 ? std::string("nothing") : "'" + lines[steps - 1].what + "'"));
        Subject subject;
        play(lines, steps, subject);
        fail(subject, steps);
    }
}

} // namespace redlatch::scripted
