// What the shared library shows. Everything without this mark is hidden, so that no internal name can meet a user's.
#pragma once

#define REDLATCH_EXPORT [[gnu::visibility("default")]]
