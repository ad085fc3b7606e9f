#include "api/yaml_field_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace redlatch {

namespace {

constexpr std::string_view of_validate = "the configuration cannot be used: ";

struct field_name {
    std::string_view field;
    std::array<std::string_view, 4> keys; ///< that set it; the first one where none of them is there
};

constexpr field_name fields[]{
    {"username", {"username"}},
    {"password", {"password"}},
    {"database", {"database"}},
    {"timeout", {"timeout"}},
    {"address", {"address", "url", "host"}},
    {"commands", {"commands"}},
    {"connect", {"connect"}},
    {"password_file", {"passwordFile"}},
    {"name_prefix", {"namePrefix", "nameMapper"}},
    {"client_name", {"clientName", "client-name"}},
    {"holder_label", {"holderLabel"}},
    {"connect_timeout", {"connectTimeout", "connect-timeout"}},
    {"retry_attempts", {"retryAttempts"}},
    {"retry_delay", {"retryDelay", "retryInterval"}},
    {"ping_interval", {"pingConnectionInterval"}},
    {"lock_watchdog_timeout", {"lockWatchdogTimeout"}},
    {"fair_lock_wait_timeout", {"fairLockWaitTimeout"}},
    {"fencing_counter_ttl", {"fencingCounterTtl"}},
    {"renewal_batch", {"lockWatchdogBatchSize"}},
    {"watched_holds", {"watchedHolds"}},
    {"validity_margin", {"validityMargin"}},
    {"outage_limit", {"outageLimit"}},
    {"close_timeout", {"closeTimeout"}},
    {"local_handoff.time", {"localHandoffTime"}},
    {"replicas.replicas", {"replicas"}},
    {"replicas.required", {"replicas"}},
    {"replicas.time", {"replicasTimeout", "slavesSyncTimeout"}},
    {"replicas.retries", {"replicasRetries", "retryAttempts"}},
    {"replicas.shortage", {"onTooFewReplicas"}},
    {"topology.nodes", {"nodeAddresses", "sentinelAddresses", "masterAddress", "slaveAddresses"}},
    {"topology.nodes", {"sentinel.nodes", "cluster.nodes"}},
    {"topology.master_name", {"masterName", "sentinel.master"}},
    {"topology.sentinel_username", {"sentinelUsername", "sentinel.username"}},
    {"topology.sentinel_password_file", {"sentinelPasswordFile"}},
    {"topology.sentinel_password", {"sentinelPassword", "sentinel.password"}},
    {"topology.sentinel_tls",
     {"sentinelTlsCaFile", "sentinelTlsCaFolder", "sentinelTlsCertificateFile", "sentinelTlsServerName"}},
    {"topology.sentinel_tls.ca_file", {"sentinelTlsCaFile"}},
    {"topology.sentinel_tls.ca_folder", {"sentinelTlsCaFolder"}},
    {"topology.sentinel_tls.certificate_file", {"sentinelTlsCertificateFile"}},
    {"topology.sentinel_tls.key_file", {"sentinelTlsKeyFile"}},
    {"topology.sentinel_tls.key_password", {"sentinelTlsKeyPassword"}},
    {"topology.sentinel_tls.server_name", {"sentinelTlsServerName"}},
    {"topology.servers_use_tls", {"serversUseTls"}},
    {"topology.address_map", {"natMapper", "natMap"}},
    {"topology.scan_interval", {"scanInterval"}},
    {"tls.ca_file", {"sslTruststore", "tlsCaFile"}},
    {"tls.ca_password", {"sslTruststorePassword"}},
    {"tls.ca_folder", {"tlsCaFolder"}},
    {"tls.certificate_file", {"sslKeystore", "tlsCertificateFile"}},
    {"tls.key_file", {"tlsKeyFile"}},
    {"tls.key_password", {"sslKeystorePassword", "tlsKeyPassword"}},
    {"tls.server_name", {"tlsServerName"}},
    {"tls.ciphers", {"sslCiphers"}},
};

bool is_name_byte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_'
           || byte == '.';
}

/// Null: the document does not say it.
yaml_setting const* setting_of(std::string_view field, std::span<yaml_settings const* const> written) {
    for (auto const& one : fields) {
        if (one.field != field) continue;
        for (auto const key : one.keys)
            for (auto const* group : written)
                if (auto const found = group->find(key); found != group->end() && !found->second.is_null())
                    return &found->second;
    }
    return nullptr;
}

/// Where none of them is there: as the keys around it are written.
std::string_view usual_key(field_name const& one, std::span<yaml_settings const* const> written) {
    for (auto const key : one.keys) {
        auto const group = key.substr(0, key.find('.') + 1); // empty: it is in none
        auto const is_in_it = [group](auto const& entry) { return entry.first.starts_with(group); };
        if (!group.empty()
            && std::ranges::any_of(written, [&](auto const* all) { return std::ranges::any_of(*all, is_in_it); }))
            return key;
    }
    return one.keys.front();
}

/// `begins`: it is the first word of the message. Other words than these fields stay as they are, and so does an ordinary word
/// that is the name of a field elsewhere in a sentence.
std::string shown(std::string_view word, bool begins, std::span<yaml_settings const* const> written) {
    auto const known = std::ranges::find(fields, word, &field_name::field);
    bool const is_plain_word = word.find_first_of("_.") == std::string_view::npos;
    if (known == std::end(fields) || (is_plain_word && !begins)) return std::string(word);
    if (auto const* setting = setting_of(word, written))
        return begins ? setting->at() : setting->name() + " (line " + std::to_string(setting->line()) + ")";
    return is_plain_word ? std::string(word) : std::string(usual_key(*known, written));
}

} // namespace

std::string in_words_of_document(std::string message, std::span<yaml_settings const* const> written) {
    std::string_view rest = message;
    if (rest.starts_with(of_validate)) rest.remove_prefix(of_validate.size());
    std::string result;
    for (bool begins = true; !rest.empty(); begins = false) {
        auto const end = std::min(static_cast<std::size_t>(std::ranges::find_if_not(rest, is_name_byte) - rest.begin()),
                                  rest.size());
        result += shown(rest.substr(0, end), begins, written);
        rest.remove_prefix(end);
        auto const next =
            std::min(static_cast<std::size_t>(std::ranges::find_if(rest, is_name_byte) - rest.begin()), rest.size());
        result += rest.substr(0, next);
        rest.remove_prefix(next);
    }
    return result;
}

} // namespace redlatch
