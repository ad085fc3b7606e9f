// The wall clock of a process, which a test can set while it runs.
#pragma once

#include "support/temporary_folder.hpp"

#include <string>
#include <vector>

namespace redlatch::chaos {

class fake_clock {
public:
    fake_clock();

    /// For the process: preload libfaketime, leave the clocks alone that cannot be set.
    std::vector<std::string> environment() const;
    /// "+1d", "-3600"; relative to the true time.
    void set(std::string const& offset) const;

    /// Where libfaketime is; empty: nowhere.
    static std::string library();

private:
    test::temporary_folder folder_;
};

} // namespace redlatch::chaos
