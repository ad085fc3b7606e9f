# redlatch.pc. It finds its tree from where it lies, so that the tree may be moved; but not from a library folder that stands
# outside of the prefix: then it has the prefix of the configuration, as the CMake package has.

# The flags that link this file: by name, and by its folder where the compiler does not look by itself.
function(redlatch_link_flags file result)
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(name ${file} NAME_WE)
    string(REGEX REPLACE "^lib" "-l" flags ${name})
    if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
        string(PREPEND flags "-L${folder} ")
    endif()
    set(${result} ${flags} PARENT_SCOPE)
endfunction()

function(redlatch_below_prefix folder result) # as pkg-config sees it
    if(NOT IS_ABSOLUTE ${folder})
        string(PREPEND folder "\${prefix}/")
    endif()
    set(${result} ${folder} PARENT_SCOPE)
endfunction()

function(redlatch_install_pkg_config build_folder)
    redlatch_below_prefix(${CMAKE_INSTALL_LIBDIR} LIBDIR)
    redlatch_below_prefix(${CMAKE_INSTALL_INCLUDEDIR} INCLUDEDIR)
    redlatch_link_flags(${HIREDIS_LIBRARY} hiredis)
    set(yaml_cpp -lyaml-cpp)
    if(IS_ABSOLUTE ${YAML_CPP_STATIC})
        redlatch_link_flags(${YAML_CPP_STATIC} yaml_cpp)
    endif()
    set(PRIVATE_LIBS "${yaml_cpp} ${hiredis} -pthread")
    set(LIBS)
    if(NOT REDLATCH_SHARED) # there is only the archive
        set(LIBS " ${PRIVATE_LIBS}")
    endif()
    if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
        set(PREFIX ${CMAKE_INSTALL_PREFIX})
        install(CODE "if(NOT CMAKE_INSTALL_PREFIX STREQUAL \"${CMAKE_INSTALL_PREFIX}\")
    message(FATAL_ERROR \"The library folder ${CMAKE_INSTALL_LIBDIR} is absolute: say the prefix when redlatch is configured, \"
        \"as CMAKE_INSTALL_PREFIX, not when it is installed.\")
  endif()")
    else()
        file(RELATIVE_PATH upwards /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
        string(REGEX REPLACE "/$" "" upwards ${upwards})
        set(PREFIX "\${pcfiledir}/${upwards}")
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/cmake/redlatch.pc.in ${build_folder}/redlatch.pc @ONLY)
    install(FILES ${build_folder}/redlatch.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
