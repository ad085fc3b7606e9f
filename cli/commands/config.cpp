// redlatch config check: what a configuration file says.
#include "commands/commands.hpp"
#include "config_view.hpp"
#include "subcommands.hpp"
#include "text.hpp"

#include <redlatch/log.hpp>

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace redlatch::cli {
namespace {

char const* const config_help = "Usage: redlatch config check FILE [FLAGS]\n"
                                "\n"
                                "Commands:\n"
                                "  check    Read a configuration file and show what it says.\n"
                                "\n"
                                "redlatch config check --help tells more.\n";

/// What is logged while it lives.
class collected_remarks {
public:
    collected_remarks() {
        set_log_sink([this](log_level level, std::string_view line) { add(level, line); }, log_level::debug);
    }
    ~collected_remarks() { set_log_sink({}); }
    collected_remarks(collected_remarks const&) = delete;
    collected_remarks& operator=(collected_remarks const&) = delete;

    config_remarks remarks{};

private:
    void add(log_level level, std::string_view line) {
        constexpr std::string_view about_a_key = "configuration, ";
        if (level >= log_level::warning)
            remarks.warnings.emplace_back(line);
        else if (line.starts_with(about_a_key))
            remarks.ignored.emplace_back(line.substr(about_a_key.size()));
    }
};

enum class contents { open, secret };

void warn_of_file(char const* role, std::string const& path, config_remarks& remarks, contents has = contents::open) {
    if (path.empty()) return;
    int const opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (opened >= 0) {
        struct stat status {};
        bool const told_all =
            ::fstat(opened, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & S_IROTH) != 0;
        ::close(opened);
        if (has == contents::secret && told_all)
            remarks.warnings.push_back("the " + std::string(role) + " '" + printable(path)
                                       + "' may be read by every user of this machine: chmod o-r it");
        return;
    }
    remarks.warnings.push_back("the " + std::string(role) + " '" + printable(path) + "' cannot be read by this user: "
                               + std::generic_category().message(errno) + "; no connection can be made before it can");
}

/// What a client would read at its start, or at each connect.
void warn_of_files(config const& settings, config_remarks& remarks) {
    warn_of_file("password file", settings.password_file, remarks, contents::secret);
    warn_of_file("Sentinels' password file", settings.topology.sentinel_password_file, remarks, contents::secret);
    auto const& tls = settings.tls;
    warn_of_file("file of the authorities (sslTruststore, tlsCaFile)", tls.ca_file, remarks);
    warn_of_file("folder of the authorities (tlsCaFolder)", tls.ca_folder, remarks);
    warn_of_file("file of the own certificate (sslKeystore, tlsCertificateFile)", tls.certificate_file, remarks);
    warn_of_file("file of the own key (tlsKeyFile)", tls.key_file, remarks, contents::secret);
    auto const of_sentinels = settings.topology.sentinel_tls.value_or(tls_options{});
    warn_of_file("file of the Sentinels' authorities (sentinelTlsCaFile)", of_sentinels.ca_file, remarks);
    warn_of_file("folder of the Sentinels' authorities (sentinelTlsCaFolder)", of_sentinels.ca_folder, remarks);
    warn_of_file("file of the own certificate for Sentinels (sentinelTlsCertificateFile)",
                 of_sentinels.certificate_file, remarks);
    warn_of_file("file of the own key for Sentinels (sentinelTlsKeyFile)", of_sentinels.key_file, remarks,
                 contents::secret);
}

int check(arguments const& words) {
    std::string file;
    bool json = false;
    command_line line("config check FILE [FLAGS]",
                      "Read a configuration file as --config does, and show what it says: the servers, with passwords "
                      "masked, the times, which keys have no effect and why, and what is unsafe. Speaks to no server.");
    line.word("FILE", "A YAML file as Redisson and Spring users write it.", file);
    line.flag("--json", "One JSON object on stdout.", json);
    line.example("redlatch config check /etc/redlatch.yaml");
    line.footer("Exit status:\n  0    it can be used; warnings, as of files that cannot be read, do not count\n  64   "
                "it cannot; the line on stderr says why\n"
                "  74   the output cannot be written to stdout\n");
    line.parse(words);
    collected_remarks heard;
    auto const settings = config::from_file(file);
    if (servers_of(settings).tls && settings.tls.verification == tls_verification::none)
        heard.remarks.warnings.emplace_back(
            "the server's certificate is not verified: whoever is on the way can read and change what is sent");
    warn_of_files(settings, heard.remarks);
    print(json ? json_of(settings, heard.remarks) : text_of(settings, heard.remarks));
    return 0;
}

} // namespace

int show_config(arguments const& words) {
    return run_subcommand("config", {{"check", &check}}, config_help, words);
}

} // namespace redlatch::cli
