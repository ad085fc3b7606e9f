#include "io/brief_question.hpp"

#include <array>
#include <cerrno>
#include <poll.h>
#include <utility>

namespace redlatch::io {

brief_question::brief_question(locator::place const& to, std::vector<address> addresses,
                               connection::greeting const& words, std::string commands, std::size_t replies)
    : attempt_(to.where, std::move(addresses), words, to.tls), commands_(std::move(commands)), expected_(replies),
      reader_({std::size_t{1} << 20, 16 * 1024}) {}

brief_question::progress brief_question::failed(errc reason, std::string const& problem) {
    attempt_.fail(reason, problem);
    return progress::failed;
}

brief_question::progress brief_question::advance() {
    if (wire_) return sent_ < commands_.size() ? send() : receive();
    return on_attempt(attempt_.advance());
}

brief_question::progress brief_question::on_time_over() {
    return on_attempt(attempt_.on_time_over());
}

brief_question::progress brief_question::on_attempt(progress outcome) {
    if (outcome != progress::ready || expected_ == 0) return outcome;
    wire_ = attempt_.take_wire();
    return send();
}

brief_question::progress brief_question::send() {
    while (sent_ < commands_.size()) {
        auto const count = wire_.send(commands_.data() + sent_, commands_.size() - sent_);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) {
            wants_ = POLLOUT;
            return progress::waiting;
        }
        if (count < 0) return failed(errc::disconnected, wire_.failure(count, errno));
        sent_ += static_cast<std::size_t>(count);
    }
    wants_ = POLLIN;
    return receive(); // what is encrypted may have come with the greeting's answers
}

brief_question::progress brief_question::receive() {
    std::array<char, wire::encrypted_receive_size>
        buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    auto const count = wire_.receive(buffer.data(), buffer.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return progress::waiting;
    if (count < 0) return failed(errc::disconnected, wire_.failure(count, errno));
    if (count == 0) return failed(errc::disconnected, "closed the connection");
    reader_.feed({buffer.data(), static_cast<std::size_t>(count)});
    for (resp::value reply; replies_.size() < expected_;) {
        switch (reader_.next(reply)) {
        case resp::reader::result::need_more: return progress::waiting;
        case resp::reader::result::broken:
            return failed(errc::bad_reply, "does not speak the Redis protocol: " + reader_.problem());
        case resp::reader::result::value: break;
        }
        replies_.push_back(std::move(reply));
    }
    return progress::ready;
}

} // namespace redlatch::io
