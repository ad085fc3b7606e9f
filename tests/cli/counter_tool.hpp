// The commands about semaphores and latches, beside a server of the test's own.
#pragma once

#include "tool.hpp"

#include <string>

namespace redlatch::test {

class counter_tool_test : public tool_test {
protected:
    /// The records of requests, which stay for a minute, and nothing else may be left.
    void TearDown() override;

    std::string value(std::string const& name) const { return server.run("GET", name).text; }
    bool somebody_listens_to(std::string const& channel) const;
    /// Of a tool that ended well.
    std::string output_of(words arguments) const;
    /// One object.
    std::string json_of(words arguments) const;
};

} // namespace redlatch::test
