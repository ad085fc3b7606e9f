# cmake --install gives users the shared library, its headers, a CMake package and a pkg-config file. The static form is for
# the tool and the tests: who installed it would have to know hiredis and yaml-cpp.
set_target_properties(redlatch PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # below 1.0 every minor version may break the interface

option(REDLATCH_INSTALL "Make the installation rules" ${PROJECT_IS_TOP_LEVEL})
if(NOT REDLATCH_INSTALL)
    return()
endif()

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/redlatch)
set(package_build_folder ${PROJECT_BINARY_DIR}/package)

install(TARGETS redlatch EXPORT redlatch LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/redlatch DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN *.hpp)
install(EXPORT redlatch NAMESPACE redlatch:: FILE redlatchTargets.cmake DESTINATION ${package_folder})
if(TARGET redlatch_asio) # of its own: only who asks for this component needs Boost
    install(TARGETS redlatch_asio EXPORT redlatch_asio)
    install(EXPORT redlatch_asio NAMESPACE redlatch:: FILE redlatchAsioTargets.cmake DESTINATION ${package_folder})
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/redlatchConfig.cmake.in
    ${package_build_folder}/redlatchConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${package_build_folder}/redlatchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package_build_folder}/redlatchConfig.cmake ${package_build_folder}/redlatchConfigVersion.cmake
    DESTINATION ${package_folder})

configure_file(${PROJECT_SOURCE_DIR}/cmake/redlatch.pc.in ${package_build_folder}/redlatch.pc @ONLY)
install(FILES ${package_build_folder}/redlatch.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
