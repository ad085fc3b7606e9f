#include "support/tls_server.hpp"

#include <stdexcept>
#include <string>

namespace redlatch::test {
namespace {

std::vector<std::string> tls_arguments(std::string const& folder, std::uint16_t port,
                                       std::vector<std::string> const& more) {
    std::vector<std::string> all{
        "--tls-port",           std::to_string(port), "--tls-cert-file",  folder + "/server.pem", "--tls-key-file",
        folder + "/server.key", "--tls-ca-cert-file", folder + "/ca.pem", "--tls-auth-clients",   "no"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

} // namespace

tls_server::tls_server(certificate_text const& text, std::vector<std::string> const& arguments)
    : tls_server(std::make_shared<certificate_authority const>(), text, arguments) {}

tls_server::tls_server(std::shared_ptr<certificate_authority const> authority, certificate_text const& text,
                       std::vector<std::string> const& arguments)
    : authority_(std::move(authority)), ca_file_(file("ca.pem", authority_->pem())) {
    auto const papers = authority_->issue(text);
    file("server.pem", papers.certificate_pem());
    file("server.key", papers.key_pem());
    server_ = std::make_unique<redis_server>(
        server_options{.arguments = tls_arguments(folder_.path().string(), port_.number(), arguments)});
}

void tls_server::replace_certificates() {
    authority_ = std::make_shared<certificate_authority const>("renewed authority");
    auto const papers = authority_->issue();
    file("ca.pem", authority_->pem());
    auto const paper = file("renewed.pem", papers.certificate_pem());
    auto const key = file("renewed.key", papers.key_pem());
    auto const reply = server_->run("CONFIG", "SET", "tls-cert-file", paper, "tls-key-file", key);
    if (!reply.is_text()) throw std::runtime_error("the server does not take the new certificate: " + reply.text);
}

std::unique_ptr<tls_server> tls_server::start_replica() {
    server_->run("CONFIG", "SET", "tls-replication", "yes");
    server_->run("CONFIG", "SET", "repl-diskless-sync-delay", "0");
    auto replica =
        std::make_unique<tls_server>(authority_, certificate_text{},
                                     std::vector<std::string>{"--tls-replication", "yes", "--repl-diskless-sync-delay",
                                                              "0", "--replicaof", "127.0.0.1", std::to_string(port())});
    auto const in_step = [&] {
        auto const role = server_->run("ROLE");
        if (role.items.size() != 3 || role.items[2].items.empty()) return false;
        // A replica that still loads what it was sent first is listed, too. It confirms nothing before it is done.
        if (role.items[1].integer == 0) server_->run("PUBLISH", "the first message to the replica", "");
        return server_->has_replicated();
    };
    if (!wait_until(in_step, 3 * patience)) throw std::runtime_error("the replica does not replicate with TLS");
    return replica;
}

bool test_server_has_tls() {
    static bool const has = [] {
        try {
            tls_server const one;
            return true;
        } catch (std::runtime_error const& problem) { // it knows the setting and lacks the module, or knows neither
            std::string const said = problem.what();
            if (said.find("TLS support") == std::string::npos && said.find("Bad directive") == std::string::npos) throw;
            return false;
        }
    }();
    return has;
}

} // namespace redlatch::test
