// Whether this is a build with a sanitizer: slower, and with more memory. A value and no macro: most tests are compiled without
// sanitizers in all builds, so that they are compiled once (tests/CMakeLists.txt).
#pragma once

namespace redlatch::test {

bool is_sanitized() noexcept;

} // namespace redlatch::test
