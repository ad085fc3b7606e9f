# lua/*.lua -> scripts.cpp, the texts with their SHA-1, made anew when a script changes, and script_list.hpp, which declares one
# script for each file, made anew when a file joins or leaves.
file(GLOB REDLATCH_LUA CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/*.lua)
set(REDLATCH_GENERATED ${PROJECT_BINARY_DIR}/generated CACHE PATH "Where sources are made")
mark_as_advanced(REDLATCH_GENERATED)
set(REDLATCH_SCRIPTS_CPP ${REDLATCH_GENERATED}/scripts.cpp)
add_custom_command(OUTPUT ${REDLATCH_SCRIPTS_CPP}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${REDLATCH_SCRIPTS_CPP} "-DSCRIPTS=${REDLATCH_LUA}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_scripts.cmake
    DEPENDS ${REDLATCH_LUA} ${PROJECT_SOURCE_DIR}/cmake/embed_scripts.cmake
    COMMENT "Embedding the scripts" VERBATIM)

set(declarations)
foreach(file ${REDLATCH_LUA})
    get_filename_component(name ${file} NAME_WE)
    string(APPEND declarations "extern script const ${name};\n")
endforeach()
file(CONFIGURE OUTPUT ${REDLATCH_GENERATED}/locking/script_list.hpp @ONLY CONTENT
"// Made from the names of the files in lua/ by cmake/redlatch_scripts.cmake; included by locking/script.hpp only.
#pragma once

namespace redlatch::locking::scripts {
@declarations@} // namespace redlatch::locking::scripts
")

# For whoever includes headers of src/.
add_library(redlatch_internals INTERFACE)
target_include_directories(redlatch_internals INTERFACE ${PROJECT_SOURCE_DIR}/src ${REDLATCH_GENERATED})
