#include "api/yaml_tls.hpp"

#include "io/uri_text.hpp"

#include <algorithm>
#include <string>
#include <yaml-cpp/yaml.h>

namespace redlatch::yaml_tls {

namespace {

void verify_as_before_redisson_4(config& settings, yaml_setting const& value) {
    settings.tls.verification = value.truth() ? tls_verification::strict : tls_verification::ca_only;
}

tls_verification verification_of(yaml_setting const& value) {
    auto const text = value.text();
    if (text == "STRICT") return tls_verification::strict;
    if (text == "CA_ONLY") return tls_verification::ca_only;
    if (text != "NONE") refuse_yaml("must be STRICT, CA_ONLY or NONE");
    return tls_verification::none;
}

void verify(config& settings, yaml_setting const& value) {
    settings.tls.verification = verification_of(value);
}

/// From now on they have settings of their own.
tls_options& of_sentinels(config& settings) {
    auto& tls = settings.topology.sentinel_tls;
    return tls ? *tls : tls.emplace();
}

/// The least that is asked for. What is older than 1.2 is never spoken, and 1.3 is better than 1.2 alone.
void set_protocols(config& settings, yaml_setting const& value) {
    bool has_1_2 = false;
    bool has_1_3 = false;
    auto const look = [&](std::string const& text) {
        has_1_2 = has_1_2 || text == "TLSv1.2";
        has_1_3 = has_1_3 || text == "TLSv1.3";
    };
    if (value.node().IsSequence())
        for (auto const& one : value.node()) look(one.IsScalar() ? one.Scalar() : std::string());
    else
        look(value.text());
    if (!has_1_2 && !has_1_3) refuse_yaml("must have TLSv1.2 or TLSv1.3: nothing older is spoken here");
    settings.tls.minimum_version = has_1_2 ? tls_version::tls_1_2 : tls_version::tls_1_3;
}

void set_ciphers(config& settings, yaml_setting const& value) {
    auto const& list = value.node();
    bool const has_names_only = list.IsSequence() && std::all_of(list.begin(), list.end(), [](YAML::Node const& one) {
                                    return one.IsScalar();
                                });
    if (!has_names_only) refuse_yaml("must be a list of ciphers, such as [TLS_AES_128_GCM_SHA256]");
    settings.tls.ciphers = value.texts();
}

void check_store_type(config&, yaml_setting const& value) {
    auto const type = io::lower_case(value.text());
    if (type != "pkcs12" && type != "pem")
        refuse_yaml("must be PKCS12 or PEM: other stores cannot be read here (keytool -importkeystore … -deststoretype "
                    "PKCS12)");
}

constexpr yaml_key of_redisson[]{
    {"sslEnableEndpointIdentification", verify_as_before_redisson_4},
    {"sslVerificationMode", verify},
    {"sslProtocols", set_protocols},
    {"sslCiphers", set_ciphers},
    {"sslKeystoreType", check_store_type},
    {"sslTruststore", [](config& settings, yaml_setting const& value) { settings.tls.ca_file = file(value); }},
    {"sslTruststorePassword",
     [](config& settings, yaml_setting const& value) { settings.tls.ca_password = value.text(); }},
    {"sslKeystore", [](config& settings, yaml_setting const& value) { settings.tls.certificate_file = file(value); }},
    {"sslKeystorePassword",
     [](config& settings, yaml_setting const& value) { settings.tls.key_password = value.text(); }},
};

constexpr yaml_key ours[]{
    {"tlsCaFile", [](config& settings, yaml_setting const& value) { settings.tls.ca_file = file(value); }},
    {"tlsCaFolder", [](config& settings, yaml_setting const& value) { settings.tls.ca_folder = file(value); }},
    {"tlsCertificateFile",
     [](config& settings, yaml_setting const& value) { settings.tls.certificate_file = file(value); }},
    {"tlsKeyFile", [](config& settings, yaml_setting const& value) { settings.tls.key_file = file(value); }},
    {"tlsKeyPassword", [](config& settings, yaml_setting const& value) { settings.tls.key_password = value.text(); }},
    {"tlsServerName", [](config& settings, yaml_setting const& value) { settings.tls.server_name = value.text(); }},
};

constexpr yaml_key of_sentinels_alone[]{
    {"serversUseTls",
     [](config& settings, yaml_setting const& value) { settings.topology.servers_use_tls = value.truth(); }},
    {"sentinelTlsCaFile",
     [](config& settings, yaml_setting const& value) { of_sentinels(settings).ca_file = file(value); }},
    {"sentinelTlsCaFolder",
     [](config& settings, yaml_setting const& value) { of_sentinels(settings).ca_folder = file(value); }},
    {"sentinelTlsCertificateFile",
     [](config& settings, yaml_setting const& value) { of_sentinels(settings).certificate_file = file(value); }},
    {"sentinelTlsKeyFile",
     [](config& settings, yaml_setting const& value) { of_sentinels(settings).key_file = file(value); }},
    {"sentinelTlsKeyPassword",
     [](config& settings, yaml_setting const& value) { of_sentinels(settings).key_password = value.text(); }},
    {"sentinelTlsServerName",
     [](config& settings, yaml_setting const& value) { of_sentinels(settings).server_name = value.text(); }},
    {"sentinelTlsVerification",
     [](config& settings, yaml_setting const& value) { of_sentinels(settings).verification = verification_of(value); }},
};

} // namespace

std::string file(yaml_setting const& value) {
    auto text = value.text();
    if (text.starts_with("file:")) {
        auto path = text.substr(5);
        if (path.starts_with("//")) path.erase(0, std::min(path.find('/', 2), path.size()));
        auto decoded = io::percent_decoded(path);
        if (!decoded || decoded->empty()) refuse_yaml("needs the path of a file, as in file:/etc/redlatch/ca.pem");
        return *decoded;
    }
    if (text.starts_with("classpath:") || text.find("://") != std::string::npos)
        refuse_yaml("needs a file; what Java finds elsewhere cannot be read here");
    return text;
}

std::span<yaml_key const> keys() {
    return of_redisson;
}

std::span<yaml_key const> own_keys() {
    return ours;
}

std::span<yaml_key const> sentinel_keys() {
    return of_sentinels_alone;
}

} // namespace redlatch::yaml_tls
