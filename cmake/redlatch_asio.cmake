# redlatch::asio: the completion tokens of redlatch/asio.hpp, header-only; where Boost is too old or not there, it is left out.
if(POLICY CMP0167) # Boost's own package: CMake no longer has a module for it
    cmake_policy(SET CMP0167 NEW)
endif()
find_package(Boost 1.81 QUIET)
if(NOT Boost_FOUND)
    message(STATUS "redlatch::asio is left out: it needs Boost 1.81 (libboost1.81-dev or newer)")
    return()
endif()
add_library(redlatch_asio INTERFACE)
set_target_properties(redlatch_asio PROPERTIES EXPORT_NAME asio)
target_link_libraries(redlatch_asio INTERFACE redlatch Boost::headers)
add_library(redlatch::asio ALIAS redlatch_asio)
