# Servers of one's own and a raw client, for tests and for the benchmark.
add_library(redlatch_test_servers STATIC
    ${CMAKE_CURRENT_LIST_DIR}/child_process.cpp ${CMAKE_CURRENT_LIST_DIR}/endpoint.cpp ${CMAKE_CURRENT_LIST_DIR}/raw_client.cpp
    ${CMAKE_CURRENT_LIST_DIR}/redis_cluster.cpp ${CMAKE_CURRENT_LIST_DIR}/redis_server.cpp
    ${CMAKE_CURRENT_LIST_DIR}/reserved_port.cpp)
target_include_directories(redlatch_test_servers PUBLIC ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(redlatch_test_servers PUBLIC redlatch_static redlatch_internals redlatch_test_sanitized
                                            PRIVATE redlatch_warnings)
add_library(redlatch_test_sanitized STATIC ${CMAKE_CURRENT_LIST_DIR}/sanitized.cpp)
target_include_directories(redlatch_test_sanitized PUBLIC ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(redlatch_test_sanitized PRIVATE redlatch_warnings)
