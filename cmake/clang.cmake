# The toolchain of the presets clang and fuzz: version 14, which analyses and formats too, else what this machine has.
find_program(CLANGXX NAMES clang++-14 clang++-19 clang++ REQUIRED)
set(CMAKE_CXX_COMPILER ${CLANGXX})
