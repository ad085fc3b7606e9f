# redlatch_integration_test(NAME [TIMEOUT seconds] [PROCESSORS n] [OWN_SETTINGS] [ONE_SERVER] [LIBRARIES …] [ALONE]): each
# test of NAME.cpp is one ctest test with servers of its own. These tests mostly wait, so that ten run at a time; PROCESSORS
# says how many of these places one takes: more than one for those that measure short times, all for those that fill the
# machine.
#
# Variants. In the build that users get each runs again: with scripts only and without local hand-off, but where it makes
# OWN_SETTINGS, sets these itself or reads none of them, and, where it includes both_faces.hpp or what includes it, through the
# asynchronous face; both at once where both can be. These variants have the label integration_variant, by which CI runs them on
# another server than the tests themselves; not those of a file with ONE_SERVER, which is about the client, chooses a server
# itself or needs TLS. Under the address sanitizer what has two variants runs in one of them: those tests whose names begin with
# a to h with scripts only and without hand-off, the others through the asynchronous face. So faces, commands, servers and that
# sanitizer meet in pairs, with three runs of a test; with REDLATCH_TEST_PRODUCT each variant runs by itself, too (each night).
#
# Each NAME is an executable, integration_NAME. With REDLATCH_TEST_JOINED those of a folder that ctest is told the same about
# are one, whose sources are compiled together, but for those that need further LIBRARIES or have to be ALONE: half of the time,
# since most of it goes into the headers that they share.
option(REDLATCH_TEST_JOINED "Make one executable of many integration tests" OFF)
option(REDLATCH_TEST_PRODUCT "Run integration tests in each variant by itself, too" OFF)

function(redlatch_integration_test name)
    cmake_parse_arguments(PARSE_ARGV 1 option "OWN_SETTINGS;ONE_SERVER;ALONE" "TIMEOUT;PROCESSORS" "LIBRARIES")
    if(NOT option_TIMEOUT)
        set(option_TIMEOUT 120)
    endif()
    if(NOT option_PROCESSORS)
        set(option_PROCESSORS 1)
    endif()
    set(kinds one_face)
    set(label integration_variant)
    set(variants)
    set(halves)
    file(STRINGS ${name}.cpp has_both_faces REGEX "(both_faces|behaviour/kinds|replica_fixture)\\.hpp")
    if(has_both_faces)
        set(kinds both_faces) # where some names mean others
    endif()
    if(option_ONE_SERVER)
        list(APPEND kinds one_server)
        set(label integration)
    endif()
    if(NOT option_OWN_SETTINGS)
        list(APPEND kinds variants) # also where they are not run, so that the same are compiled together
    endif()
    if(has_both_faces AND NOT option_OWN_SETTINGS)
        set(variants asynchronous_scripts_no_hand_off)
        if(REDLATCH_TEST_PRODUCT)
            list(APPEND variants asynchronous scripts_no_hand_off)
        endif()
        if(REDLATCH_SANITIZE MATCHES address)
            set(halves HALVES)
        endif()
    elseif(has_both_faces)
        set(variants asynchronous)
    elseif(NOT option_OWN_SETTINGS)
        set(variants scripts_no_hand_off)
    endif()
    if(NOT REDLATCH_TEST_VARIANTS)
        set(variants)
    endif()
    set(told TIMEOUT ${option_TIMEOUT} PROCESSORS ${option_PROCESSORS} LABEL ${label} ${halves} VARIANTS ${variants})
    if(REDLATCH_TEST_JOINED AND NOT option_ALONE AND NOT option_LIBRARIES)
        string(JOIN "_" group ${kinds} ${option_PROCESSORS} ${option_TIMEOUT})
        set_property(DIRECTORY APPEND PROPERTY redlatch_groups ${group})
        set_property(DIRECTORY APPEND PROPERTY redlatch_sources_of_${group} ${name}.cpp)
        set_property(DIRECTORY PROPERTY redlatch_told_of_${group} ${told})
    else()
        redlatch_integration_program(${name} ${told} SOURCES ${name}.cpp)
        target_link_libraries(integration_${name} PRIVATE ${option_LIBRARIES})
    endif()
endfunction()

# At the end of a folder's CMakeLists.txt.
function(redlatch_join_integration_tests)
    get_property(groups DIRECTORY PROPERTY redlatch_groups)
    list(REMOVE_DUPLICATES groups)
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
    foreach(group IN LISTS groups)
        get_property(told DIRECTORY PROPERTY redlatch_told_of_${group})
        get_property(sources DIRECTORY PROPERTY redlatch_sources_of_${group})
        set(name ${folder}_${group})
        redlatch_integration_program(${name} ${told} SOURCES ${sources})
        set_target_properties(integration_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    endforeach()
endfunction()

# One executable and its tests, for redlatch_integration_test.
function(redlatch_integration_program name)
    cmake_parse_arguments(PARSE_ARGV 1 option "HALVES" "TIMEOUT;PROCESSORS;LABEL" "VARIANTS;SOURCES")
    add_executable(integration_${name} ${option_SOURCES})
    target_link_libraries(integration_${name} PRIVATE redlatch_test_support GTest::gtest_main GTest::gmock
        redlatch_warnings)
    # Those that take several places begin first: at the end few others are left to stand beside them.
    set(properties TIMEOUT ${option_TIMEOUT} PROCESSORS ${option_PROCESSORS} COST ${option_PROCESSORS})
    if(option_HALVES)
        set(filter "*.a*:*.b*:*.c*:*.d*:*.e*:*.f*:*.g*:*.h*")
        redlatch_variant(integration_${name} scripts_no_hand_off "${filter}" LABELS integration ${properties})
        redlatch_variant(integration_${name} asynchronous "-${filter}" LABELS integration ${properties})
    else()
        gtest_discover_tests(integration_${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS integration ${properties})
    endif()
    foreach(variant ${option_VARIANTS})
        redlatch_variant(integration_${name} ${variant} "*" LABELS ${option_LABEL} ${properties})
    endforeach()
endfunction()

# The tests of an executable that a filter of GoogleTest selects, in a variant.
function(redlatch_variant program variant filter) # PROPERTIES…
    gtest_discover_tests(${program} DISCOVERY_TIMEOUT 60 TEST_PREFIX "${variant}." TEST_FILTER "${filter}"
        TEST_LIST ${program}_${variant} PROPERTIES ${ARGN} ENVIRONMENT REDLATCH_TEST_VARIANT=${variant})
endfunction()
