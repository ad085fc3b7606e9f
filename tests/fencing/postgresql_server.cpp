#include "postgresql_server.hpp"

#include <csignal>
#include <fstream>
#include <pwd.h>
#include <set>
#include <sstream>
#include <stdexcept>
#include <unistd.h>
#include <vector>

namespace redlatch::test {
namespace {

using words = std::vector<std::string>;

/// As the user that the server runs as. A change of the user drops the signal that ends a child with its parent: ask anew.
words as_server_user(words command) {
    if (::geteuid() == 0) {
        words const prefix{"setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--pdeathsig=KILL", "--"};
        command.insert(command.begin(), prefix.begin(), prefix.end());
    }
    return command;
}

/// What it printed; throws with what it said on stderr unless it ends well.
std::string printed_by(words command) {
    child_process program({.arguments = std::move(command)});
    auto const line = program.read_line();
    if (auto const status = program.wait(); status != 0) throw std::runtime_error(program.error_text());
    return line.value_or("");
}

} // namespace

std::filesystem::path postgresql_programs() {
    std::set<std::filesystem::path> folders;
    std::error_code none;
    for (auto const& version : std::filesystem::directory_iterator("/usr/lib/postgresql", none))
        if (exists(version.path() / "bin/initdb") && exists(version.path() / "bin/psql"))
            folders.insert(version.path() / "bin");
    return folders.empty() ? std::filesystem::path() : *folders.rbegin();
}

postgresql_server::postgresql_server() {
    auto const programs = postgresql_programs();
    auto const data = (folder_.path() / "data").string();
    if (::geteuid() == 0) {
        passwd const* const nobody = ::getpwnam("nobody");
        if (nobody == nullptr || ::chown(folder_.path().c_str(), nobody->pw_uid, nobody->pw_gid) != 0)
            throw std::runtime_error("the folder of the PostgreSQL server cannot be given to the user nobody");
    }
    printed_by(as_server_user({programs / "initdb", "--pgdata=" + data, "--username=redlatch", "--auth=trust",
                               "--no-sync", "--no-locale", "--encoding=UTF8"}));
    process_ = std::make_unique<child_process>(
        child_options{.arguments = as_server_user({programs / "postgres", "-D", data, "-k", folder_.path().string(),
                                                   "-c", "listen_addresses=", "-c", "fsync=off"}),
                      .output_file = folder_.path() / "server.log"});
    bool const answers = wait_until([&] {
        if (process_->ended()) return true;
        try {
            return run("SELECT 1") == "1";
        } catch (std::runtime_error const&) {
            return false;
        }
    });
    if (!answers || process_->ended()) throw std::runtime_error("PostgreSQL did not start:\n" + log());
}

postgresql_server::~postgresql_server() {
    if (!process_) return;
    process_->signal(SIGINT); // ends its connections too
    process_->wait();
}

std::string postgresql_server::connection() const {
    return "host=" + folder_.path().string() + " user=redlatch dbname=postgres";
}

std::string postgresql_server::run(std::string const& statement) const {
    return printed_by({postgresql_programs() / "psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only",
                       "--set=ON_ERROR_STOP=1", "--command=" + statement, connection()});
}

std::string postgresql_server::log() const {
    std::ostringstream text;
    text << std::ifstream(folder_.path() / "server.log").rdbuf();
    return text.str();
}

} // namespace redlatch::test
