// The settings that messages about TLS tell people to look at, as a program names them and as a configuration file does.
#pragma once

#include <string_view>

namespace redlatch::io::tls_setting {

constexpr std::string_view ca_file = "tls.ca_file (in YAML sslTruststore)";
constexpr std::string_view ca_folder = "tls.ca_folder (in YAML tlsCaFolder)";
constexpr std::string_view certificate_file = "tls.certificate_file (in YAML sslKeystore)";
constexpr std::string_view key_file = "tls.key_file (in YAML tlsKeyFile)";
constexpr std::string_view key_password = "tls.key_password (in YAML sslKeystorePassword)";
constexpr std::string_view minimum_version = "tls.minimum_version (in YAML sslProtocols)";
constexpr std::string_view ciphers = "tls.ciphers (in YAML sslCiphers)";
constexpr std::string_view server_name = "tls.server_name (in YAML tlsServerName)";

} // namespace redlatch::io::tls_setting
