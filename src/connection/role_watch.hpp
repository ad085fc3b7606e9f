// The conversation on a connection that is there to hear when a server becomes the master, or ceases to be it: ROLE, again and
// again.
#pragma once

#include "connection/role_reply.hpp"
#include "connection/traffic.hpp"

#include <optional>
#include <utility>

namespace redlatch::connection {

class role_watch final : public traffic {
public:
    explicit role_watch(base::waker told) : told_(std::move(told)) {}

    /// What the server has said, if that has not been taken; unknown: the connection has ended.
    std::optional<server_role> take_news() { return std::exchange(news_, std::nullopt); }

    void on_up(identity const& self, base::instant now, base::wake_list& woken) override;
    void on_down(base::instant now, base::wake_list& woken) noexcept override;
    bool on_value(resp::value&& incoming, base::instant now, base::wake_list& woken) override;
    void on_closed(base::wake_list& woken) override;
    bool expects_reply() const noexcept override { return due_; }
    std::size_t due() const noexcept override { return due_ ? 1 : 0; }
    void stage_ping(base::instant now) override;

private:
    base::waker told_;
    bool due_ = false;
    std::optional<server_role> news_{};
};

} // namespace redlatch::connection
