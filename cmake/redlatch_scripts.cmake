# lua/*.lua -> scripts.cpp: the texts with their SHA-1, made anew when a script changes.
file(GLOB REDLATCH_LUA CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/*.lua)
set(REDLATCH_SCRIPTS_CPP ${PROJECT_BINARY_DIR}/generated/scripts.cpp)
add_custom_command(OUTPUT ${REDLATCH_SCRIPTS_CPP}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${REDLATCH_SCRIPTS_CPP} "-DSCRIPTS=${REDLATCH_LUA}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_scripts.cmake
    DEPENDS ${REDLATCH_LUA} ${PROJECT_SOURCE_DIR}/cmake/embed_scripts.cmake
    COMMENT "Embedding the scripts" VERBATIM)
