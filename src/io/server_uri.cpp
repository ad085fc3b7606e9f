#include "io/server_uri.hpp"

#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstddef>
#include <sys/un.h>
#include <utility>

namespace redlatch::io {

namespace {

constexpr std::size_t longest_uri = 4096;
constexpr std::size_t longest_host = 253; // of DNS
constexpr std::uint16_t default_port = 6379;

[[noreturn]] void refuse(std::string const& problem) {
    throw error(errc::bad_config, problem);
}

template <class Number> std::optional<Number> whole_number(std::string_view text) {
    Number number{};
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

std::string decoded(std::string_view text, char const* part) {
    auto plain = percent_decoded(text);
    if (!plain)
        refuse(std::string("its ") + part + " has a % that two hexadecimal digits do not follow; write % as %25");
    if (plain->find('\0') != std::string::npos) refuse(std::string("its ") + part + " contains a NUL byte");
    return *std::move(plain);
}

int parsed_database(std::string_view text) {
    auto const number = whole_number<int>(text);
    if (!number) refuse("its database must be a number, 0 or more, as in redis://host:6379/0");
    return *number;
}

void parse_user_info(std::string_view text, server_uri& result) {
    auto const colon = text.find(':');
    if (colon == std::string_view::npos)
        refuse("before the @ it needs user:password, or :password for the default user");
    if (colon > 0) result.username = decoded(text.substr(0, colon), "user name");
    if (auto password = decoded(text.substr(colon + 1), "password"); !password.empty()) result.password = password;
}

void parse_host(std::string_view host, server_uri& result) {
    constexpr std::string_view name_bytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    if (host.empty()) refuse("it names no host, as in redis://127.0.0.1:6379");
    if (host.size() > longest_host) refuse("its host name is longer than 253 bytes");
    if (host.find_first_not_of(name_bytes) != std::string_view::npos)
        refuse("its host name has a byte that no host name may have (an IPv6 address stands in brackets)");
    result.host_or_path = host;
}

/// `[::1]` or `[fe80::1%25eth0]`; what follows is returned.
std::string_view parse_bracketed_host(std::string_view text, server_uri& result) {
    auto const end = text.find(']');
    if (end == std::string_view::npos) refuse("the bracket around its IPv6 address is not closed");
    auto const address = decoded(text.substr(1, end - 1), "IPv6 address");
    in6_addr parsed{};
    if (::inet_pton(AF_INET6, address.substr(0, address.find('%')).c_str(), &parsed) != 1)
        refuse("what stands in its brackets is not an IPv6 address");
    result.host_or_path = address;
    return text.substr(end + 1);
}

void parse_host_and_port(std::string_view text, server_uri& result) {
    auto port = std::string_view{};
    if (text.starts_with('[')) {
        port = parse_bracketed_host(text, result);
    } else {
        auto const colon = std::min(text.find(':'), text.size());
        if (text.find(':', colon + 1) != std::string_view::npos)
            refuse("it has too many colons; an IPv6 address stands in brackets, as in redis://[::1]:6379");
        parse_host(text.substr(0, colon), result);
        port = text.substr(colon);
    }
    result.port = default_port;
    if (port.empty()) return;
    auto const number = port.starts_with(':') ? whole_number<std::uint16_t>(port.substr(1)) : std::nullopt;
    if (!number || *number == 0) refuse("its port must be a number from 1 to 65535");
    result.port = *number;
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
    if (at != std::string_view::npos) parse_user_info(authority.substr(0, at), result);
    parse_host_and_port(at == std::string_view::npos ? authority : authority.substr(at + 1), result);
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
    result.tls = scheme == "rediss" || scheme == "valkeys";
    auto const tcp = scheme == "redis" || scheme == "valkey" || result.tls;
    if (!tcp && scheme != "unix" && scheme != "redis+uds" && scheme != "valkey+uds")
        refuse("its scheme is not known; use redis://, rediss://, valkey://, valkeys://, unix://, redis+uds://, "
               "valkey+uds:// or local:");
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

server_uri parse_server_uri(std::string_view uri) {
    try {
        return parse(uri);
    } catch (error const& problem) {
        throw error(errc::bad_config, "the address '" + masked_uri(uri) + "' cannot be used: " + problem.what());
    }
}

} // namespace redlatch::io
