#include "io/server_uri.hpp"

#include "base/whole_number.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <cstddef>
#include <sys/un.h>
#include <utility>

namespace redlatch::io {

namespace {

constexpr std::size_t longest_uri = 4096;
constexpr std::size_t longest_host = 253; // of DNS

[[noreturn]] void refuse(std::string const& problem) {
    throw error(errc::bad_config, problem);
}

std::string decoded(std::string_view text, char const* part) {
    auto plain = percent_decoded(text);
    if (!plain)
        refuse(std::string("its ") + part + " has a % that two hexadecimal digits do not follow; write % as %25");
    if (plain->find('\0') != std::string::npos) refuse(std::string("its ") + part + " contains a NUL byte");
    return *std::move(plain);
}

int parsed_database(std::string_view text) {
    auto const number = base::whole_number<int>(text);
    if (!number || *number < 0) refuse("its database must be a number, 0 or more, as in redis://host:6379/0");
    return *number;
}

void parse_user_info(std::string_view text, server_uri& result) {
    auto const colon = text.find(':');
    if (colon == std::string_view::npos)
        refuse("before the @ it needs user:password, or :password for the default user");
    if (colon > 0) result.username = decoded(text.substr(0, colon), "user name");
    if (auto password = decoded(text.substr(colon + 1), "password"); !password.empty()) result.password = password;
}

std::string parsed_host(std::string_view host) {
    constexpr std::string_view name_bytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    if (host.empty()) refuse("it names no host, as in redis://127.0.0.1:6379");
    if (host.size() > longest_host) refuse("its host name is longer than 253 bytes");
    if (host.find_first_not_of(name_bytes) != std::string_view::npos)
        refuse("its host name has a byte that no host name may have (an IPv6 address stands in brackets)");
    return std::string(host);
}

/// `[::1]` or `[fe80::1%25eth0]`.
std::string parsed_bracketed_host(std::string_view text) {
    auto const end = text.find(']');
    if (end == std::string_view::npos) refuse("the bracket around its IPv6 address is not closed");
    auto address = decoded(text.substr(1, end - 1), "IPv6 address");
    in6_addr parsed{};
    if (::inet_pton(AF_INET6, address.substr(0, address.find('%')).c_str(), &parsed) != 1)
        refuse("what stands in its brackets is not an IPv6 address");
    return address;
}

void parse_hosts(std::string_view text, server_uri& result) {
    auto const port = result.mode == server_mode::sentinel ? default_sentinel_port : default_port;
    bool const several = result.mode != server_mode::single;
    auto const first = several ? text.substr(0, text.find(',')) : text;
    auto const where = parse_host_and_port(first, port);
    result.host_or_path = where.host;
    result.port = where.port;
    for (auto rest = text.substr(first.size()); !rest.empty();) {
        rest.remove_prefix(1);
        auto const next = rest.substr(0, rest.find(','));
        result.others.push_back(parse_host_and_port(next, port));
        rest.remove_prefix(next.size());
    }
}

void parse_query(std::string_view query, server_uri& result) {
    while (!query.empty()) {
        auto const parameter = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(parameter.size() + 1, query.size()));
        if (!parameter.starts_with("db=")) refuse("it has a parameter that is not known here; the only one is ?db=n");
        if (result.database) refuse("it names the database twice");
        result.database = parsed_database(parameter.substr(3));
    }
}

void parse_tcp(std::string_view rest, server_uri& result) {
    auto const slash = std::min(rest.find('/'), rest.size());
    if (rest.find('@', slash) != std::string_view::npos) refuse("a / in its user name or password must be written %2F");
    auto const authority = rest.substr(0, slash);
    // The last @: passwords with a bare @ are common, and no host has one.
    auto const at = authority.rfind('@');
    if (at != std::string_view::npos) {
        bool const several = result.mode != server_mode::single;
        if (several && authority.substr(0, at).find(',') != std::string_view::npos)
            refuse("user and password stand once, before the first host, and are those of all of them; a comma in a "
                   "password is written %2C");
        parse_user_info(authority.substr(0, at), result);
    }
    parse_hosts(at == std::string_view::npos ? authority : authority.substr(at + 1), result);
    if (slash + 1 < rest.size()) result.database = parsed_database(rest.substr(slash + 1));
}

void parse_unix(std::string_view rest, server_uri& result) {
    result.type = server_uri::kind::unix_socket;
    auto const slash = rest.find('/');
    if (slash == std::string_view::npos) refuse("it needs the whole path of a socket, as in unix:///run/redis.sock");
    if (slash > 0) {
        auto const authority = rest.substr(0, slash);
        if (!authority.ends_with('@'))
            refuse("the path of its socket must begin with a slash: three slashes, as in unix:///run/redis.sock");
        parse_user_info(authority.substr(0, slash - 1), result);
    }
    result.host_or_path = decoded(rest.substr(slash), "path");
    if (result.host_or_path.size() >= sizeof(sockaddr_un::sun_path))
        refuse("the path of its socket is too long: Linux allows " + std::to_string(sizeof(sockaddr_un::sun_path) - 1)
               + " bytes");
    if (result.host_or_path.ends_with('/')) refuse("its path is a folder, not a socket");
}

/// What stands behind the # of an address with Sentinels; the rest is returned.
std::string_view parse_master_name(std::string_view rest, server_uri& result) {
    auto const mark = rest.find('#');
    if (mark == std::string_view::npos || mark + 1 == rest.size())
        refuse("it does not say which master the Sentinels are to be asked for, as in "
               "redis-sentinel://host:26379/0#mymaster");
    result.master_name = decoded(rest.substr(mark + 1), "name of the master");
    return rest.substr(0, mark);
}

/// Of TCP: whether it is encrypted, and how the servers are arranged. False: another scheme.
bool parse_tcp_scheme(std::string_view scheme, server_uri& result) {
    auto const dash = std::min(scheme.find('-'), scheme.size());
    auto const protocol = scheme.substr(0, dash);
    auto const arrangement = scheme.substr(dash);
    if (arrangement == "-sentinel")
        result.mode = server_mode::sentinel;
    else if (arrangement == "-cluster")
        result.mode = server_mode::cluster;
    else if (arrangement == "-replicated")
        result.mode = server_mode::replicated;
    else if (!arrangement.empty())
        return false;
    result.tls = protocol == "rediss" || protocol == "valkeys";
    return protocol == "redis" || protocol == "valkey" || result.tls;
}

server_uri parse(std::string_view uri) {
    if (uri.empty()) refuse("it is empty; write redis://host:6379, unix:///path or local:");
    if (uri.size() > longest_uri) refuse("it is longer than 4096 bytes");
    auto const unfit = [](char byte) { return static_cast<unsigned char>(byte) <= ' ' || byte == '\x7f'; };
    if (std::ranges::any_of(uri, unfit)) refuse("it contains a space or a control character; write it as %XX");

    server_uri result;
    auto const colon = uri.find(':');
    auto const scheme = lower_case(uri.substr(0, std::min(colon, uri.size())));
    if (scheme == "local") {
        if (uri != "local:") refuse("the private server is written local: and nothing more");
        result.type = server_uri::kind::local;
        return result;
    }
    auto rest = uri.substr(std::min(uri.find("://"), uri.size()));
    if (rest.empty() || colon != uri.size() - rest.size())
        refuse("it needs a scheme: write redis://host:6379, unix:///path or local:");
    rest.remove_prefix(3);
    auto const tcp = parse_tcp_scheme(scheme, result);
    if (!tcp && scheme != "unix" && scheme != "redis+uds" && scheme != "valkey+uds")
        refuse("its scheme is not known; use redis://, rediss://, valkey://, valkeys://, redis-sentinel://, "
               "redis-cluster://, redis-replicated://, unix://, redis+uds://, valkey+uds:// or local:");
    if (result.mode == server_mode::sentinel) rest = parse_master_name(rest, result);
    if (rest.find('#') != std::string_view::npos) refuse("it has a #, which must be written %23");
    if (auto const mark = rest.find('?'); mark != std::string_view::npos) {
        if (rest.find('@', mark) != std::string_view::npos)
            refuse("a ? in its user name or password must be written %3F");
        parse_query(rest.substr(mark + 1), result);
        rest = rest.substr(0, mark);
    }
    if (tcp && result.database && rest.find('/') != std::string_view::npos && !rest.ends_with('/'))
        refuse("it names the database twice");
    tcp ? parse_tcp(rest, result) : parse_unix(rest, result);
    return result;
}

} // namespace

server_uri::host_and_port parse_host_and_port(std::string_view text, std::uint16_t usual_port) {
    server_uri::host_and_port result{.host = {}, .port = usual_port};
    auto port = std::string_view{};
    if (text.starts_with('[')) {
        result.host = parsed_bracketed_host(text);
        port = text.substr(text.find(']') + 1);
    } else {
        auto const colon = std::min(text.find(':'), text.size());
        if (text.find(':', colon + 1) != std::string_view::npos)
            refuse("it has too many colons; an IPv6 address stands in brackets, as in redis://[::1]:6379");
        result.host = parsed_host(text.substr(0, colon));
        port = text.substr(colon);
    }
    if (port.empty()) return result;
    auto const number = port.starts_with(':') ? base::whole_number<std::uint16_t>(port.substr(1)) : std::nullopt;
    if (!number || *number == 0) refuse("its port must be a number from 1 to 65535");
    result.port = *number;
    return result;
}

server_uri parse_server_uri(std::string_view uri) {
    try {
        return parse(uri);
    } catch (error const& problem) {
        throw error(errc::bad_config, "the address '" + masked_uri(uri) + "' cannot be used: " + problem.what());
    }
}

} // namespace redlatch::io
