// The end of a client: gives back, within close_timeout and in one go, all that is held and what the reaper still has.
//
// | stage     | event                                                    | action, next                                   |
// |-----------|----------------------------------------------------------|------------------------------------------------|
// | beginning |                                                          | all tenures end; send releases -> releasing    |
// | releasing | answered, no release of others under way, no further one | finished                                       |
// | releasing | answered, the reaper has got more                        | send them                                      |
// | releasing | close_timeout is over                                    | finished                                       |
#pragma once

#include "connection/call.hpp"
#include "io/operation.hpp"

namespace redlatch::io {

class client_core;

/// Of a client whose closed() is true already: what is submitted from then on is refused.
class closing final : public operation {
public:
    explicit closing(client_core& core) noexcept : core_(core) {}

    bool step() override;
    bool ready() const override;

private:
    enum class stage { beginning, releasing, finished };
    bool finish();

    client_core& core_;
    stage stage_ = stage::beginning;
    base::instant until_{};
    connection::call_ptr last_;
};

} // namespace redlatch::io
