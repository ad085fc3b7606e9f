// PostgreSQL as the resource: the condition is a part of the UPDATE, which locks the row and looks at its newest version.
//
//     fencing_postgresql SOCKET CONNECTION LINE [--unchecked]
//
// SOCKET: of the Redis server that has the lock. CONNECTION: as for psql, "host=/run/postgresql dbname=books". The table:
//
//     CREATE TABLE page (id int PRIMARY KEY, line text, token bigint NOT NULL DEFAULT 0)
//     INSERT INTO page VALUES (1)
//
// With --unchecked the writer does not compare, so that one can see what goes wrong without.
#include "late_writer.hpp"

#include <libpq-fe.h>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace {

constexpr char const* write_unless_stale = "UPDATE page SET line = $2, token = $1 WHERE id = 1 AND token <= $1";
constexpr char const* write_anyway = "UPDATE page SET line = $2, token = $1 WHERE id = 1";

using connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using result = std::unique_ptr<PGresult, decltype(&PQclear)>;

} // namespace

int main(int count, char** words) {
    if (count < 4) {
        std::cerr << "usage: fencing_postgresql SOCKET CONNECTION LINE [--unchecked]\n";
        return 64;
    }
    char const* const line = words[3];
    bool const checked = count < 5 || std::string_view(words[4]) != "--unchecked";
    connection const database(PQconnectdb(words[2]), &PQfinish);
    if (PQstatus(database.get()) != CONNECTION_OK) {
        std::cerr << PQerrorMessage(database.get());
        return 69;
    }
    write_late("unix://" + std::string(words[1]), [&](std::uint64_t token) {
        auto const text = std::to_string(token);
        char const* const values[] = {text.c_str(), line};
        result const answer(PQexecParams(database.get(), checked ? write_unless_stale : write_anyway, 2, nullptr,
                                         values, nullptr, nullptr, 0),
                            &PQclear);
        if (PQresultStatus(answer.get()) != PGRES_COMMAND_OK) throw std::runtime_error(PQerrorMessage(database.get()));
        return std::string_view(PQcmdTuples(answer.get())) == "1";
    });
}
