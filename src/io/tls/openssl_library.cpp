#include "io/tls/openssl_library.hpp"

#include <redlatch/error.hpp>

#include <dlfcn.h>
#include <string>

#define REDLATCH_TEXT_OF(number) #number
#define REDLATCH_TEXT(number) REDLATCH_TEXT_OF(number)

namespace redlatch::io {
namespace {

/// The version whose headers we were compiled with.
constexpr char const* library_name = "libssl.so." REDLATCH_TEXT(OPENSSL_SHLIB_VERSION);

[[noreturn]] void cannot_load(std::string const& reason) {
    throw error(errc::bad_config, "TLS cannot be used: OpenSSL cannot be loaded (" + reason
                                      + "); install it (libssl3 on Debian), or use an address without TLS");
}

std::string why_not() {
    char const* const problem = ::dlerror();
    return problem != nullptr ? problem : "for no reason that the system knows";
}

template <class Function> void find(void* library, char const* name, Function& function) {
    void* const found = ::dlsym(library, name);
    if (found == nullptr) cannot_load(why_not());
    function = reinterpret_cast<Function>(found);
}

openssl_library load() {
    void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) cannot_load(why_not());
    openssl_library result;
#define REDLATCH_FIND(name) find(library, #name, result.name);
    REDLATCH_OPENSSL_FUNCTIONS(REDLATCH_FIND)
#undef REDLATCH_FIND
    // It stays usable until the very end: threads of a client that nobody has closed run on while the process exits.
    if (result.OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr) != 1) cannot_load("it cannot be initialised");
    return result;
}

} // namespace

openssl_library const& openssl() {
    static openssl_library const loaded = load();
    return loaded;
}

} // namespace redlatch::io
