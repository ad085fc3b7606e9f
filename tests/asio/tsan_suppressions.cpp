// What the thread sanitizer cannot know: libstdc++ counts the references to an exception in its own, uninstrumented code, so
// the last owner of an exception_ptr seems to destroy it while another one has just read it on another thread.
#if defined(__SANITIZE_THREAD__)

#include <array>
#include <cstddef>
#include <gtest/gtest.h>

extern "C" char const* __tsan_default_suppressions();
extern "C" void __sanitizer_symbolize_pc(void* address, char const* format, char* out, std::size_t size);

extern "C" char const* __tsan_default_suppressions() {
    return "race:std::__exception_ptr::exception_ptr::_M_release\n";
}

namespace {

/// A suppressed report is composed all the same. For the first one the sanitizer reads the debug information, which can keep a
/// thread busy for longer than the 500 ms that the tests' clients wait for an answer. So it is read before the tests.
class debug_information final : public testing::Environment {
public:
    void SetUp() override {
        std::array<char, 256> name{};
        __sanitizer_symbolize_pc(reinterpret_cast<void*>(&__tsan_default_suppressions), "%f", name.data(), name.size());
    }
};

[[maybe_unused]] auto const* const read_early = testing::AddGlobalTestEnvironment(new debug_information);

} // namespace

#endif
