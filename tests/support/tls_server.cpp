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
    : ca_file_(file("ca.pem", authority_.pem())) {
    auto const papers = authority_.issue(text);
    file("server.pem", papers.certificate_pem());
    file("server.key", papers.key_pem());
    server_ = std::make_unique<redis_server>(
        server_options{.arguments = tls_arguments(folder_.path().string(), port_.number(), arguments)});
}

void tls_server::replace_certificates() {
    authority_ = certificate_authority("renewed authority");
    auto const papers = authority_.issue();
    file("ca.pem", authority_.pem());
    auto const paper = file("renewed.pem", papers.certificate_pem());
    auto const key = file("renewed.key", papers.key_pem());
    auto const reply = server_->run("CONFIG", "SET", "tls-cert-file", paper, "tls-key-file", key);
    if (!reply.is_text()) throw std::runtime_error("the server does not take the new certificate: " + reply.text);
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
