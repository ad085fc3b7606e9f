// A server that is started for the first round in which it is needed, and ends with the scenario.
#pragma once

#include <functional>
#include <memory>

namespace redlatch::bench {

template <class Server> class started_when_used {
public:
    explicit started_when_used(std::function<std::unique_ptr<Server>()> start) : start_(std::move(start)) {}
    Server& get() const {
        if (!*running_) *running_ = start_();
        return **running_;
    }

private:
    std::function<std::unique_ptr<Server>()> start_;
    std::shared_ptr<std::unique_ptr<Server>> running_ = std::make_shared<std::unique_ptr<Server>>();
};

} // namespace redlatch::bench
