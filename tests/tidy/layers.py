"""Who may include what (docs/architecture.md, Layers)."""

import re

from tree import Finding

# A folder may include itself and these. Nothing above, nothing beside; src/embedded stands beside src/api.
BELOW = {
    "base": (),
    "resp": ("base",),
    "connection": ("base", "resp"),
    "locking": ("base", "resp", "connection"),
    "io": ("base", "resp", "connection", "locking"),
    "embedded": ("base", "resp", "io"),
    "api": ("base", "resp", "connection", "locking", "io", "embedded"),
}
CORE = ("src/base/", "src/resp/", "src/connection/", "src/locking/")
CORE_MAY_SEE = {"lease_clock", "error"}
GENERATED = {"src/locking/script_list.hpp"}  # by CMake, in the build folder
USERS = ("cli/", "examples/", "bench/")
# Examples of how a database refuses stale tokens speak to it as its users do, scripts included.
RESOURCES = "examples/fencing/"
# The benchmark starts its server as the tests do.
MAY_USE_TEST_SERVERS = "bench/measure/"

# What would give the core a thread, a clock, a socket or chance of its own.
NOT_IN_CORE = re.compile(
    r"^(thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|random|ctime|time\.h|iostream"
    r"|fstream|filesystem|csignal|signal\.h|unistd\.h|fcntl\.h|poll\.h|netdb\.h|pthread\.h"
    r"|(sys|netinet|arpa|linux|openssl|boost|asio)/.*)$"
)
CALLS_NOT_IN_CORE = re.compile(
    r"(::now\s*\(|\brandom_device\b|\bthis_thread::|\bclock_gettime\b|\bgetenv\b|\bthread_local\b|\bstd::s?rand\b"
    r"|\bstd::(mutex|thread|jthread)\b)"
)
# Memory decides nothing: a stock of it for each thread changes no state machine.
STOCK_OF_MEMORY = "src/base/recycling.cpp"
STANDARD = re.compile(r"^[a-z_0-9]+$|^sys/types\.h$")


def folders_include_only_what_is_below(tree):
    for path in tree.cpp("src/"):
        folder = path.split("/")[1]
        if folder not in BELOW:
            yield Finding(path, 1, f"src/{folder} has no place in the layers; give it one in tests/tidy/layers.py")
            continue
        for line, bracket, file in tree.includes(path):
            if bracket != '"':
                continue
            target = file.split("/")[0]
            if f"src/{file}" not in tree.files and f"src/{file}" not in GENERATED:
                yield Finding(path, line, f'"{file}" is not a file of src; write its path from src')
            elif target != folder and target not in BELOW[folder]:
                yield Finding(path, line, f"src/{folder} may not include src/{target}, which is above or beside it")


def the_core_sees_few_public_headers(tree):
    for path in tree.cpp(*CORE):
        for line, _, file in tree.includes(path):
            match = re.match(r"redlatch/(\w+)\.hpp$", file)
            if match and match.group(1) not in CORE_MAY_SEE:
                yield Finding(path, line, f"the core may not include <{file}>: it is a face, not a value")


def the_core_has_no_threads_clocks_or_sockets(tree):
    for path in tree.cpp(*CORE):
        for line, _, file in tree.includes(path):
            if NOT_IN_CORE.match(file):
                yield Finding(path, line, f"<{file}> has no place in the core; what it gives comes in as an argument")
        for line, text in tree.code(path):
            match = CALLS_NOT_IN_CORE.search(text)
            if match and (path, match.group(0)) != (STOCK_OF_MEMORY, "thread_local"):
                yield Finding(path, line, f"`{match.group(0)}` has no place in the core; it is an argument")


ASIO_FACE = re.compile(r"include/redlatch/(asio(_work)?\.hpp|detail/asio_\w+\.hpp)$")


def sees_asio(tree, path):
    """The Asio face itself, or an example that includes it."""
    users = {file for _, _, file in tree.includes(path)}
    return ASIO_FACE.match(path) or (path.startswith("examples/") and "redlatch/asio.hpp" in users)


def libraries_stay_behind_few_files(tree):
    """One source file knows hiredis, the readers of YAML know yaml-cpp, src/io/tls knows OpenSSL, the Asio face Asio."""
    hiredis_file = None
    for path in tree.cpp("src/", "include/", "cli/", "examples/"):
        for line, _, file in tree.includes(path):
            if file.startswith("hiredis/") and not path.startswith(RESOURCES):
                if not re.match(r"src/resp/\w+\.cpp$", path):
                    yield Finding(path, line, f"<{file}> is for one .cpp file in src/resp")
                elif hiredis_file not in (None, path):
                    yield Finding(path, line, f"<{file}>: {hiredis_file} knows hiredis already; go through that")
                hiredis_file = hiredis_file or path
            if file.startswith("yaml-cpp/") and not path.startswith("src/api/yaml_"):
                yield Finding(path, line, f"<{file}> is for src/api/yaml_*")
            if file.startswith(("boost/asio/", "boost/system/")) and sees_asio(tree, path):
                continue
            if file.startswith("openssl/") and path.startswith("src/io/tls/openssl_"):
                continue
            if file.startswith(("boost/", "openssl/", "asio")):
                yield Finding(path, line, f"<{file}> has no place here; Boost.Asio is for redlatch/asio.hpp, asio_work.hpp "
                                          "and their users")


def public_headers_stand_alone(tree):
    for path in tree.cpp("include/"):
        for line, bracket, file in tree.includes(path):
            ours = file.startswith("redlatch/") and f"include/{file}" in tree.files
            asio = ASIO_FACE.match(path) and file.startswith(("boost/asio/", "boost/system/"))
            if bracket == '"' or not (ours or asio or STANDARD.match(file)):
                yield Finding(path, line, f"a public header may include <redlatch/…> and standard headers, not {file}")
        if not tree.files[path].startswith("// "):
            yield Finding(path, 1, "a public header opens with what it is for")


def users_use_the_public_face(tree):
    for path in tree.cpp(*USERS):
        own = path.split("/")[0]
        beside = path.rsplit("/", 1)[0]
        for line, bracket, file in tree.includes(path):
            if bracket == "<" and file.startswith("redlatch/") and f"include/{file}" not in tree.files:
                yield Finding(path, line, f"<{file}> is not a public header")
            if path.startswith(MAY_USE_TEST_SERVERS) and file.startswith("support/"):
                continue
            if bracket == '"' and not {f"{beside}/{file}", f"{own}/{file}", file} & set(tree.paths(f"{own}/")):
                yield Finding(path, line, f'"{file}" is not a file of {own}/, which otherwise uses <redlatch/…> only')


def scripts_live_in_lua(tree):
    for path in tree.cpp("src/", "include/", "cli/", "examples/"):
        if path.startswith(RESOURCES):
            continue
        for line, text in tree.lines(path):
            if re.search(r"redis\.p?call\s*\(", text):
                yield Finding(path, line, "the text of a script belongs in lua/")


# What a kind of lock does differently is in its recipe, and only the interface chooses a recipe.
MAY_NAME_KINDS = (
    "src/locking/recipes/",
    "src/api/",
    "src/embedded/",  # asks its server, without recipes, which it may not include, whether anything of any kind is held
)
# As words of identifiers and of names of files. Not `reentrant` and `fencing`, which any kind may be or have.
KINDS = (
    "fair|read_write|non_reentrant|fenced|spin|elections?|faster_multi|multi_lock|red_lock|latch(?:es)?|semaphores?|permits?"
)
NAMES_A_KIND = re.compile(rf"\b(?:\w+_recipe|all_recipes|(?:\w*_)?(?:{KINDS})(?:_\w*)?)\b")
# Identifiers and files that have such a word all the same.
MAY_HAVE_THE_NAME_OF_A_KIND = {
    "fair_lock_wait_timeout",  # as users set it (config.hpp); recipes get it as call_context::waiter_timeout
    # What renews leases that were taken by name has a timer and a mutex, which no recipe has; the calls are of the kind.
    "permit_lease", "permit_leases", "permits_held", "permits_held_",
}


def kinds_are_named_by_recipes_and_the_interface_only(tree):
    instead = "names a kind of lock; ask the recipe of the record, or the kind of the counter"
    for path in tree.cpp("src/"):
        if path.startswith(MAY_NAME_KINDS):
            continue
        stem = path.split("/")[-1].split(".")[0]
        if NAMES_A_KIND.fullmatch(stem) and stem not in MAY_HAVE_THE_NAME_OF_A_KIND:
            yield Finding(path, 1, f"{stem} {instead}")
        for line, _, file in tree.includes(path):
            if file.startswith("locking/recipes/"):
                yield Finding(path, line, f'"{file}" is about single kinds of lock; ask the recipe of the record')
        for line, text in tree.code(path):
            for name in set(NAMES_A_KIND.findall(text)) - MAY_HAVE_THE_NAME_OF_A_KIND:
                yield Finding(path, line, f"`{name}` {instead}")


RULES = (
    kinds_are_named_by_recipes_and_the_interface_only,
    folders_include_only_what_is_below,
    the_core_sees_few_public_headers,
    the_core_has_no_threads_clocks_or_sockets,
    libraries_stay_behind_few_files,
    public_headers_stand_alone,
    users_use_the_public_face,
    scripts_live_in_lua,
)
