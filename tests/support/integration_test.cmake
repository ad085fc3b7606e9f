# redlatch_integration_test(NAME [TIMEOUT seconds] [PROCESSORS n] [OWN_SETTINGS] [ONE_SERVER] [LIBRARIES …] [ALONE]): each
# test of NAME.cpp is one ctest test with servers of its own. These tests mostly wait, so that ten run at a time; PROCESSORS
# says how many of these places one takes: more than one for those that measure short times, all for those that fill the
# machine. In the build that users get each runs again: with scripts only and without local hand-off, but where it makes
# OWN_SETTINGS, sets these itself or reads none of them, and, where it includes both_faces.hpp or what includes it, through the
# asynchronous face. These variants have the label integration_variant, by which CI runs them on another server than the tests
# themselves; not those of a file with ONE_SERVER, which is about the client, chooses a server itself or needs TLS.
#
# Each NAME is an executable, integration_NAME. With REDLATCH_TEST_JOINED those of a folder that ctest is told the same about
# are one, whose sources are compiled together, but for those that need further LIBRARIES or have to be ALONE: half of the time,
# since most of it goes into the headers that they share.
option(REDLATCH_TEST_JOINED "Make one executable of many integration tests" OFF)

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
    if(REDLATCH_TEST_VARIANTS AND NOT option_OWN_SETTINGS)
        list(APPEND variants scripts_no_hand_off)
    endif()
    if(REDLATCH_TEST_VARIANTS AND has_both_faces)
        list(APPEND variants asynchronous)
    endif()
    set(told TIMEOUT ${option_TIMEOUT} PROCESSORS ${option_PROCESSORS} LABEL ${label} VARIANTS ${variants})
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
        set_target_properties(integration_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
    endforeach()
endfunction()

# One executable and its tests, for redlatch_integration_test.
function(redlatch_integration_program name)
    cmake_parse_arguments(PARSE_ARGV 1 option "" "TIMEOUT;PROCESSORS;LABEL" "VARIANTS;SOURCES")
    add_executable(integration_${name} ${option_SOURCES})
    target_link_libraries(integration_${name} PRIVATE redlatch_test_support GTest::gtest_main GTest::gmock
        redlatch_warnings)
    set(properties TIMEOUT ${option_TIMEOUT} PROCESSORS ${option_PROCESSORS})
    gtest_discover_tests(integration_${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS integration ${properties})
    foreach(variant ${option_VARIANTS})
        gtest_discover_tests(integration_${name} DISCOVERY_TIMEOUT 60 TEST_PREFIX "${variant}."
            TEST_LIST integration_${name}_${variant}
            PROPERTIES LABELS ${option_LABEL} ${properties} ENVIRONMENT REDLATCH_TEST_VARIANT=${variant})
    endforeach()
endfunction()
