# Compiler settings shared by all targets of this project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()

find_program(REDLATCH_CCACHE ccache)
if(REDLATCH_CCACHE AND PROJECT_IS_TOP_LEVEL)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${REDLATCH_CCACHE})
endif()

# Warnings are errors where we know that there are none: another compiler warns of more, and that must not stop a user.
set(without_warnings GNU-12 Clang-14)
string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
set(REDLATCH_WARNINGS_ARE_ERRORS OFF)
if(REDLATCH_WERROR AND "${CMAKE_CXX_COMPILER_ID}-${major}" IN_LIST without_warnings)
    set(REDLATCH_WARNINGS_ARE_ERRORS ON)
endif()

# -Wrestrict of g++ 12 misreads string concatenation (GCC bug 105651).
add_library(redlatch_warnings INTERFACE)
target_compile_options(redlatch_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wswitch-enum
    -Wno-missing-field-initializers $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<BOOL:${REDLATCH_WARNINGS_ARE_ERRORS}>:-Werror>)
# In one translation unit names without linkage meet those of other files; the builds without unity judge them.
set(in_unity $<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>)
target_compile_options(redlatch_warnings INTERFACE
    $<${in_unity}:-Wno-shadow> $<$<AND:${in_unity},$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)

# redlatch_alone(FILE...): not with others in one translation unit, where the sanitizers' builds save half of their time.
function(redlatch_alone)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

if(REDLATCH_SANITIZE)
    add_compile_options(-fsanitize=${REDLATCH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    # With the address sanitizer beside them these checks find nothing more, and cost g++ a sixth of its time; clang has them.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND REDLATCH_SANITIZE MATCHES "address.*undefined")
        add_compile_options(-fno-sanitize=null,object-size)
    endif()
    add_link_options(-fsanitize=${REDLATCH_SANITIZE})
    # Tests start thousands of these programs; where nothing is relocated a third of the time of a start is saved.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND REDLATCH_SANITIZE MATCHES address)
        add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
    endif()
    add_compile_definitions(REDLATCH_SANITIZED)
endif()

# From nothing a third of the processor's time. For work on the library the preset dev compiles each file by itself.
option(REDLATCH_LIBRARY_UNITY "Compile several sources of the library together" ON)

# redlatch_add_layer(NAME FOLDER...): an object library of all the sources in these folders.
function(redlatch_add_layer name)
    set(sources)
    foreach(folder ${ARGN})
        file(GLOB_RECURSE found CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.hpp)
        list(APPEND sources ${found})
    endforeach()
    add_library(${name} OBJECT ${sources})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${name} PRIVATE redlatch_internals redlatch_warnings redlatch_hardening redlatch_dependencies)
    set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    if(REDLATCH_LIBRARY_UNITY)
        set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
        # What g++ inlines in a unit that it calls large is limited by its size: a cycle would take 5 % more instructions.
        target_compile_options(${name} PRIVATE
            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release,RelWithDebInfo>>:--param=large-unit-insns=1000000>)
    endif()
endfunction()
