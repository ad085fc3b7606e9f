#include "measure/process_memory.hpp"

#include <fstream>
#include <stdexcept>

namespace redlatch::bench {

double memory_of(pid_t process, std::string const& file, std::string const& field) {
    auto const path = "/proc/" + (process == 0 ? "self" : std::to_string(process)) + "/" + file;
    std::ifstream lines(path);
    for (std::string text; std::getline(lines, text);)
        if (text.starts_with(field + ":")) return std::stod(text.substr(field.size() + 1)) * 1024; // they are in kB
    throw std::runtime_error(path + " has no " + field);
}

} // namespace redlatch::bench
