# What the library needs. A missing package is named as Debian calls it.
set(missing)
find_package(Threads REQUIRED)
include(redlatch_hiredis)
if(NOT TARGET redlatch::hiredis)
    list(APPEND missing "hiredis (libhiredis-dev)")
endif()
find_package(yaml-cpp QUIET)
set(YAML_CPP yaml-cpp::yaml-cpp) # before 0.8 without a namespace
if(NOT TARGET yaml-cpp::yaml-cpp)
    set(YAML_CPP yaml-cpp)
endif()
if(NOT TARGET ${YAML_CPP})
    list(APPEND missing "yaml-cpp (libyaml-cpp-dev)")
endif()
if(missing)
    list(JOIN missing " and " missing)
    message(FATAL_ERROR "redlatch needs ${missing}, which cannot be found: install it, or name its folder in "
        "CMAKE_PREFIX_PATH.")
endif()
message(STATUS "redlatch uses ${HIREDIS_LIBRARY}")

# yaml-cpp is linked statically into the tool, so that it starts fast; Debian's archive is not position-independent, so the
# shared library takes the shared one.
find_library(YAML_CPP_STATIC libyaml-cpp.a)
if(NOT YAML_CPP_STATIC)
    set(YAML_CPP_STATIC ${YAML_CPP})
endif()
add_library(redlatch_dependencies INTERFACE)
target_include_directories(redlatch_dependencies SYSTEM INTERFACE $<TARGET_PROPERTY:${YAML_CPP},INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(redlatch_dependencies INTERFACE redlatch::hiredis Threads::Threads)
# Only this one: hiding the sanitizers' own malloc, which clang links statically, would mix two allocators.
target_link_options(redlatch_dependencies INTERFACE -Wl,--exclude-libs,libhiredis.a)
