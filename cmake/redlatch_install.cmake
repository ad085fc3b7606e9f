# cmake --install gives users the library in each form that was built, its headers, a CMake package and a pkg-config file.
include(redlatch_pkg_config)
if(REDLATCH_SHARED) # below 1.0 every minor version may break the interface
    set_target_properties(redlatch PROPERTIES VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()

# Everything that cmake --install takes.
add_custom_target(redlatch_package)
add_dependencies(redlatch_package redlatch redlatch_static)
if(TARGET redlatch_cli)
    add_dependencies(redlatch_package redlatch_cli)
endif()

option(REDLATCH_INSTALL "Make the installation rules" ${PROJECT_IS_TOP_LEVEL})
if(NOT REDLATCH_INSTALL)
    return()
endif()

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/redlatch)
set(package_build_folder ${PROJECT_BINARY_DIR}/package)

set(libraries $<TARGET_FILE:redlatch_static>)
if(REDLATCH_SHARED)
    list(APPEND libraries $<TARGET_FILE:redlatch>)
endif()
install(CODE "foreach(library ${libraries})
    if(NOT EXISTS \"\${library}\")
        message(FATAL_ERROR \"\${library} is not built: run cmake --build '${PROJECT_BINARY_DIR}' first\")
    endif()
  endforeach()")
redlatch_install_pkg_config(${package_build_folder})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/redlatch DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN *.hpp)
# A set of its own for each component: who does not ask for it does not need what it needs.
install(TARGETS redlatch EXPORT redlatch LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT redlatch NAMESPACE redlatch:: FILE redlatchTargets.cmake DESTINATION ${package_folder})
install(TARGETS redlatch_static EXPORT redlatch_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT redlatch_static NAMESPACE redlatch:: FILE redlatchStaticTargets.cmake DESTINATION ${package_folder})
if(TARGET redlatch_asio)
    install(TARGETS redlatch_asio EXPORT redlatch_asio)
    install(EXPORT redlatch_asio NAMESPACE redlatch:: FILE redlatchAsioTargets.cmake DESTINATION ${package_folder})
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/redlatchConfig.cmake.in
    ${package_build_folder}/redlatchConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${package_build_folder}/redlatchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package_build_folder}/redlatchConfig.cmake ${package_build_folder}/redlatchConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/redlatch_hiredis.cmake DESTINATION ${package_folder})
