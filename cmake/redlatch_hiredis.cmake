# redlatch::hiredis, the parser that we use of hiredis. For our build, and for users of the installed static library. Its
# archive, if it is there: the shared redlatch then hides it, and a user may link another version; else its shared library.
find_path(HIREDIS_INCLUDE_DIR hiredis/read.h)
find_library(HIREDIS_LIBRARY NAMES libhiredis.a hiredis)
mark_as_advanced(HIREDIS_INCLUDE_DIR HIREDIS_LIBRARY)
if(HIREDIS_INCLUDE_DIR AND HIREDIS_LIBRARY AND NOT TARGET redlatch::hiredis)
    add_library(redlatch::hiredis UNKNOWN IMPORTED)
    set_target_properties(redlatch::hiredis PROPERTIES IMPORTED_LOCATION ${HIREDIS_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${HIREDIS_INCLUDE_DIR})
endif()
