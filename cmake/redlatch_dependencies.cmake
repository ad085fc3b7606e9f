# What the library needs. hiredis (only its reader) is linked statically and hidden: a user may link another one. yaml-cpp is
# linked statically into the tool, so that it starts fast; Debian's archive is not position-independent, so the shared library
# takes the shared one.
find_path(HIREDIS_INCLUDE_DIR hiredis/read.h REQUIRED)
find_library(HIREDIS_STATIC libhiredis.a REQUIRED)
find_library(YAML_CPP_STATIC libyaml-cpp.a)
if(NOT YAML_CPP_STATIC)
    set(YAML_CPP_STATIC yaml-cpp)
endif()
add_library(redlatch_dependencies INTERFACE)
target_include_directories(redlatch_dependencies SYSTEM INTERFACE ${HIREDIS_INCLUDE_DIR})
target_link_libraries(redlatch_dependencies INTERFACE ${HIREDIS_STATIC} Threads::Threads)
# Only this one: hiding the sanitizers' own malloc, which clang links statically, would mix two allocators.
target_link_options(redlatch_dependencies INTERFACE -Wl,--exclude-libs,libhiredis.a)
