// What the thread sanitizer cannot know: libstdc++ counts the references to an exception in its own, uninstrumented code, so
// the last owner of an exception_ptr seems to destroy it while another one has just read it on another thread.
#if defined(__SANITIZE_THREAD__)

extern "C" char const* __tsan_default_suppressions();

extern "C" char const* __tsan_default_suppressions() {
    return "race:std::__exception_ptr::exception_ptr::_M_release\n";
}

#endif
