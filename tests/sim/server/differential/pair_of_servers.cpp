#include "sim/server/differential/pair_of_servers.hpp"

#include "support/resp_scanner.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace redlatch::sim {

struct pair_of_servers::both {
    resp::value simulated;
    resp::value real;
};

namespace {

constexpr std::string_view password = "secret";
constexpr std::chrono::milliseconds patience{5'000};

std::int64_t wall_ms() {
    auto const now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string own_address(int socket) {
    sockaddr_in own{};
    socklen_t size = sizeof own;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) != 0) throw std::runtime_error("getsockname");
    return "127.0.0.1:" + std::to_string(ntohs(own.sin_port));
}

// False: the other side has ended the connection.
bool read_more(int socket, std::string& into) {
    pollfd entry{socket, POLLIN, 0};
    if (::poll(&entry, 1, static_cast<int>(patience.count())) <= 0) throw difference{"the real server sent nothing"};
    char piece[16384];
    auto const got = ::recv(socket, piece, sizeof piece, 0);
    if (got > 0) into.append(piece, static_cast<std::size_t>(got));
    return got > 0;
}

std::vector<std::string> values_in(std::string_view bytes) {
    std::vector<std::string> result;
    while (!bytes.empty()) {
        auto const size = test::value_length(bytes);
        if (!size) throw difference{"the simulated server sent part of a reply: " + shown(bytes)};
        result.emplace_back(bytes.substr(0, *size));
        bytes.remove_prefix(*size);
    }
    return result;
}

// UNSUBSCRIBE without names goes through a hash table: the names come in any order, the counts do not.
void order_departures(std::vector<std::string>& replies) {
    std::vector<std::size_t> places;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < replies.size(); ++i) {
        auto const reply = parsed(replies[i]);
        if (reply.items.size() != 3 || !reply.items[0].text.ends_with("unsubscribe")) continue;
        places.push_back(i);
        names.push_back(reply.items[1].text);
    }
    std::ranges::sort(names);
    for (std::size_t i = 0; i < places.size(); ++i) {
        auto const reply = parsed(replies[places[i]]);
        replies[places[i]] = reply.items[0].text + " " + names[i] + ", left: " + std::to_string(reply.items[2].integer);
    }
}

} // namespace

pair_of_servers::pair_of_servers() : real_admin_(real_.admin()) {
    real_admin_.command("ACL", "SETUSER", "admin", "on", ">" + std::string(password), "~*", "&*", "+@all");
    real_admin_.command("AUTH", "admin", password);
}

std::string pair_of_servers::version() {
    auto const text = real_admin_.command("INFO", "server").text;
    auto const begin = text.find("redis_version:") + std::string_view("redis_version:").size();
    return text.substr(begin, text.find('\r', begin) - begin);
}

std::optional<std::string> pair_of_servers::play(std::vector<step> const& sequence) {
    std::size_t position = 0;
    try {
        begin();
        for (; position < sequence.size(); ++position) play_step(sequence[position]);
        for (std::size_t who = 0; who < clients_.size(); ++who) {
            // Whatever has come too much comes before the reply to this.
            if (clients_[who]) send(who, {{"PING", "the end"}});
        }
        compare_data();
        return std::nullopt;
    } catch (difference const& found) {
        auto const where = position < sequence.size()
                               ? "step " + std::to_string(position) + ", " + shown(sequence[position])
                               : std::string("at the end");
        return where + ":\n" + found.text;
    }
}

void pair_of_servers::begin() {
    for (auto& each : clients_) each.reset();
    for (word_list const& command : std::vector<word_list>{{"ACL", "SETUSER", "default", "+@all"},
                                                           {"REPLICAOF", "NO", "ONE"},
                                                           {"CONFIG", "SET", "maxmemory", "0"},
                                                           {"FLUSHALL"},
                                                           {"SCRIPT", "FLUSH"}}) {
        if (real_admin_.command(command).is_error()) throw std::runtime_error("refused: " + command[0]);
    }
    node_settings settings{.version = version(),
                           .address = "127.0.0.1:" + std::to_string(real_.address().port),
                           .users = {{"default", {}}, {"admin", {.password = std::string(password)}}}};
    simulated_admin_.reset();
    simulated_.emplace(std::move(settings));
    simulated_admin_.emplace(*simulated_);
    simulated_admin_->now_ms = wall_ms();
    (*simulated_admin_)("AUTH", "admin", password);
    identities_ = {};
    simulated_ids_.clear();
    longest_step_ = {};
    for (std::size_t who = 0; who < clients_.size(); ++who) connect(who);
}

void pair_of_servers::connect(std::size_t which) {
    auto& fresh = clients_[which].emplace(connected{});
    fresh.real = test::connect_to(real_.address());
    if (!fresh.real) throw std::runtime_error("the real server does not listen");
    auto& who = identities_[which];
    who.address = own_address(fresh.real.get());
    fresh.simulated = simulated_->connect(who.address);
    send(which, {{"PING"}}); // then the real server has accepted it and knows its id
    auto const list = real_admin_.command("CLIENT", "LIST").text;
    auto const line = list.rfind("id=", list.find(" addr=" + who.address + " "));
    who.real_id = list.substr(line + 3, list.find(' ', line) - line - 3);
    who.simulated_id = std::to_string(fresh.simulated);
    simulated_ids_[who.real_id] = who.simulated_id;
}

void pair_of_servers::play_step(step const& one) {
    switch (one.what) {
    case step::kind::commands:
        if (!clients_[one.client]) connect(one.client);
        send(one.client, one.commands);
        break;
    case step::kind::disconnect:
        if (clients_[one.client]) simulated_->disconnect(clients_[one.client]->simulated);
        if (clients_[one.client]) {
            // The real server has seen the end when its list does not have it any more.
            clients_[one.client].reset();
            auto const gone = " addr=" + identities_[one.client].address + " ";
            test::wait_until(
                [&] { return real_admin_.command("CLIENT", "LIST").text.find(gone) == std::string::npos; });
        }
        break;
    case step::kind::refuse: refuse(one.refused); break;
    case step::kind::read_only:
        simulated_->set_read_only(one.on);
        // Nobody is there: it goes on as a replica with the data that it has.
        one.on ? real_admin_.command("REPLICAOF", "127.0.0.1", "1") : real_admin_.command("REPLICAOF", "NO", "ONE");
        break;
    case step::kind::out_of_memory:
        simulated_->set_out_of_memory(one.on);
        real_admin_.command("CONFIG", "SET", "maxmemory", one.on ? "1" : "0");
        break;
    }
}

void pair_of_servers::refuse(std::set<std::string, std::less<>> const& rights) {
    simulated_->set_refused("default", rights);
    word_list command{"ACL", "SETUSER", "default", "+@all"};
    for (auto const& right : rights) command.push_back("-" + right);
    if (real_admin_.command(command).is_error()) throw std::runtime_error("ACL SETUSER was refused");
}

std::string pair_of_servers::bytes_of(std::vector<word_list> const& commands, bool real) const {
    std::string bytes;
    for (auto command : commands) {
        for (auto& word : command) {
            for (std::size_t who = 0; who < identities_.size(); ++who) {
                auto const& known = identities_[who];
                if (word == "<id " + std::to_string(who) + ">") word = real ? known.real_id : known.simulated_id;
                if (word == "<addr " + std::to_string(who) + ">") word = known.address;
            }
        }
        bytes += encoded({command.begin(), command.end()});
    }
    return bytes;
}

void pair_of_servers::feed_in_pieces(redis_node::client to, std::string_view bytes) {
    auto const now_ms = wall_ms();
    while (!bytes.empty()) {
        pieces_ = pieces_ * 31 + 7; // some whole, some byte by byte
        auto const size = std::min(bytes.size(), std::size_t{1} << pieces_ % 13);
        simulated_->receive(to, bytes.substr(0, size), now_ms);
        bytes.remove_prefix(size);
    }
}

void pair_of_servers::send(std::size_t which, std::vector<word_list> const& commands) {
    auto& sender = *clients_[which];
    commands_played_ += commands.size();
    step_began_ = std::chrono::steady_clock::now();
    feed_in_pieces(sender.simulated, bytes_of(commands, false));
    auto const bytes = bytes_of(commands, true);
    if (::send(sender.real.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
        throw difference{"the real server has ended the connection before"};
    compare_output(which, commands);
}

void pair_of_servers::compare_output(std::size_t sender, std::vector<word_list> const& commands) {
    compare_replies(*clients_[sender], commands); // first: then the step is done at the real server too
    for (std::size_t who = 0; who < clients_.size(); ++who) {
        if (!clients_[who]) continue;
        if (who != sender) compare_replies(*clients_[who], {});
        if (!simulated_->ended(clients_[who]->simulated)) continue;
        expect_real_end(*clients_[who]);
        simulated_->disconnect(clients_[who]->simulated);
        clients_[who].reset();
    }
    simulated_->take_active();
    measure_step();
}

void pair_of_servers::compare_replies(connected& to, std::vector<word_list> const& commands) {
    auto simulated = values_in(simulated_->take_output(to.simulated));
    std::vector<std::string> real;
    while (real.size() < simulated.size()) real.push_back(take_real_value(to));
    order_departures(simulated);
    order_departures(real);
    for (std::size_t i = 0; i < simulated.size(); ++i) {
        bool const same = simulated[i] == real[i] || std::ranges::any_of(commands, [&](word_list const& command) {
                              return same_reply(command, simulated[i], real[i], allowed());
                          });
        if (!same) throw difference{"  simulated: " + shown(simulated[i]) + "\n  real:      " + shown(real[i])};
    }
}

std::string pair_of_servers::take_real_value(connected& from) {
    for (;;) {
        if (!from.real_output.empty()) {
            if (auto const size = test::value_length(from.real_output)) {
                auto value = from.real_output.substr(0, *size);
                from.real_output.erase(0, *size);
                return value;
            }
        }
        if (!read_more(from.real.get(), from.real_output)) throw difference{"the real server ended the connection"};
    }
}

void pair_of_servers::expect_real_end(connected& from) {
    while (from.real_output.empty()) {
        if (!read_more(from.real.get(), from.real_output)) return;
    }
    throw difference{"the real server goes on: " + shown(from.real_output)};
}

void pair_of_servers::measure_step() {
    // The real server did its part some time between the beginning of the step and now.
    longest_step_ = std::max(longest_step_, std::chrono::steady_clock::now() - step_began_);
}

same_but pair_of_servers::allowed() {
    constexpr std::int64_t rounding_ms = 2;
    measure_step();
    auto const longest = std::chrono::ceil<std::chrono::milliseconds>(longest_step_);
    return {longest.count() + rounding_ms, simulated_ids_};
}

pair_of_servers::both pair_of_servers::administer(word_list const& command) {
    step_began_ = std::chrono::steady_clock::now();
    simulated_admin_->now_ms = wall_ms();
    return {parsed(simulated_admin_->send(encoded({command.begin(), command.end()}))), real_admin_.command(command)};
}

void pair_of_servers::compare_data() {
    for (char const* const number : {"0", "1", "15"}) {
        administer({"SELECT", number});
        auto [simulated, real] = administer({"KEYS", "*"});
        std::ranges::sort(simulated.items, {}, &resp::value::text);
        std::ranges::sort(real.items, {}, &resp::value::text);
        if (!std::ranges::equal(simulated.items, real.items, {}, &resp::value::text, &resp::value::text))
            throw difference{"not the same keys"};
        for (auto const& key : real.items) {
            auto const expect_same = [&](word_list const& command) {
                auto const reply = administer(command);
                auto const texts = [](resp::value const& one) {
                    std::string text = one.text;
                    for (auto const& item : one.items) text += "|" + item.text;
                    return text;
                };
                if (texts(reply.simulated) != texts(reply.real))
                    throw difference{command[0] + " " + shown(key.text) + "\n  simulated: "
                                     + shown(texts(reply.simulated)) + "\n  real:      " + shown(texts(reply.real))};
            };
            expect_same({"TYPE", key.text});
            expect_same({key.text == group_of_values ? "HKEYS" : "HGETALL", key.text});
            expect_same({"GET", key.text});
            expect_same({"LRANGE", key.text, "0", "-1"});
            if (key.text != "fair:z") expect_same({"ZRANGE", key.text, "0", "-1"}); // there the order is that of times
            auto const expiry = administer({"PEXPIRETIME", key.text});
            if (std::abs(expiry.simulated.integer - expiry.real.integer) > allowed().tolerance_ms)
                throw difference{"PEXPIRETIME " + shown(key.text)
                                 + "\n  simulated: " + std::to_string(expiry.simulated.integer)
                                 + "\n  real:      " + std::to_string(expiry.real.integer)};
        }
    }
    administer({"SELECT", "0"});
}

} // namespace redlatch::sim
