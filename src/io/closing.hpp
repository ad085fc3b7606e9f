// The end of a client: gives back, within close_timeout and in one go, all that is held and what the reaper still has.
//
// | stage     | event                                                    | action, next                                     |
// |-----------|----------------------------------------------------------|--------------------------------------------------|
// | beginning |                                                          | all tenures end; their holders are told: telling |
// | telling   | told, or a listener takes too long, or nobody is to be   | send releases -> releasing                       |
// | releasing | answered, no release of others under way, no further one | finished                                         |
// | releasing | answered, the reaper has got more                        | send them                                        |
// | releasing | answered, a message was not sent                         | send it                                          |
// | releasing | answered, the server takes no writes for now             | send them again when it may: pausing             |
// | releasing | close_timeout is over                                    | finished                                         |
#pragma once

#include "io/client_core.hpp"
#include "io/operation.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace redlatch::io {

/// Of a client whose closed() is true already: what is submitted from then on is refused.
class closing final : public operation {
public:
    explicit closing(client_core& core) noexcept : core_(core) {}

    bool step() override;
    bool ready() const override;

private:
    enum class stage { beginning, telling, releasing, pausing, finished };
    bool tell();
    bool send();
    bool on_answered();
    bool finish();

    /// A listener that blocks must not keep others from the locks.
    static constexpr base::milliseconds longest_telling{100};

    client_core& core_;
    stage stage_ = stage::beginning;
    base::instant until_{};
    std::shared_ptr<std::atomic<bool>> told_; ///< of telling
    std::vector<client_core::last_release> sent_;
    std::vector<locking::reaper::job> to_repeat_;
};

} // namespace redlatch::io
