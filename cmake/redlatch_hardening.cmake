# What costs next to nothing and makes a defect in memory harder to use: for the library and the tool. The sanitizers' builds
# find such defects, and do without.
include(CheckLinkerFlag)
add_library(redlatch_hardening INTERFACE)
if(NOT REDLATCH_SANITIZE)
    # Undefined first: some distributions define it for every compilation, with another value.
    target_compile_options(redlatch_hardening INTERFACE
        -fstack-protector-strong $<$<NOT:$<CONFIG:Debug,>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
    target_link_options(redlatch_hardening INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
    # The relocations of a position-independent program, of which the tool has thousands, in a bitmap: they cost no time.
    check_linker_flag(CXX -Wl,-z,pack-relative-relocs REDLATCH_HAS_RELR)
    if(REDLATCH_HAS_RELR)
        target_link_options(redlatch_hardening INTERFACE -Wl,-z,pack-relative-relocs)
    endif()
endif()
