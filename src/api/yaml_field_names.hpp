// What config::validate() says of a field, in the words of the YAML document that has set it.
#pragma once

#include "api/yaml_level.hpp"

#include <span>
#include <string>

namespace redlatch {

/// `written`: all that stands in the document. "client_name may have …" becomes "line 3: clientName may have …".
std::string in_words_of_document(std::string message, std::span<yaml_settings const* const> written);

} // namespace redlatch
