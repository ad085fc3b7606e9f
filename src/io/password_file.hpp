// A password that is kept in a file of its own.
#pragma once

#include <string>

namespace redlatch::io {

/// Without the line feed at its end. Blocks as files do. A file that every user may read is warned of, once in a process.
/// Throws error(bad_config) with the file's name.
std::string read_password_file(std::string const& path);

} // namespace redlatch::io
