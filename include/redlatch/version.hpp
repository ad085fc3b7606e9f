// The version of the library.
#pragma once

#define REDLATCH_VERSION_MAJOR 0
#define REDLATCH_VERSION_MINOR 1
#define REDLATCH_VERSION_PATCH 0
#define REDLATCH_VERSION_STRING "0.1.0"
