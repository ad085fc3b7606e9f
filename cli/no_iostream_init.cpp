// The tool reads and writes without std::cin, std::cout and std::cerr, but headers of its libraries include <iostream>, which
// constructs eight streams and their locale before main(): 50 microseconds, a twenty-fifth of `redlatch run NAME -- true`. The
// linker (--wrap, see CMakeLists.txt) puts these in the place of that constructor and its destructor. A test looks that nothing
// in the program names a standard stream: it would not be there.

// NOLINTBEGIN(bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp, readability-identifier-naming): as the linker says
extern "C" {
void __wrap__ZNSt8ios_base4InitC1Ev(void*) noexcept;
void __wrap__ZNSt8ios_base4InitD1Ev(void*) noexcept;

void __wrap__ZNSt8ios_base4InitC1Ev(void*) noexcept {}
void __wrap__ZNSt8ios_base4InitD1Ev(void*) noexcept {}
}
// NOLINTEND(bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp, readability-identifier-naming)
