"""clang-tidy over files, with results kept by content: analysis.py [--together] BUILD-FOLDER FILE…

That a file was clean is kept in ~/.cache/redlatch/analysis (REDLATCH_ANALYSIS_CACHE names another folder), under a hash of all
that can change the verdict: the program, its settings, how the file is compiled, and the names and contents of the file and of
each header that it includes. Findings are not kept: they are found again until they are mended.

--together: files of one folder that are compiled alike are looked at as one translation unit, in a fifth of the time: most of
it goes into the headers that they share. Where something is found in such a unit, or names of its files meet, each file is
looked at by itself, and that counts. Two checks see nothing in a unit, misc-unused-using-decls and misc-unused-alias-decls: a
rule of tidy.py stands for them."""

import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

PROGRAM = os.environ.get("REDLATCH_CLANG_TIDY", "clang-tidy-14")
KEPT_FOR_DAYS = 30
FILES_OF_A_UNIT = 16


def digest(*parts):
    made = hashlib.sha256()
    for part in parts:
        text = part if isinstance(part, bytes) else str(part).encode()
        made.update(b"%d:" % len(text) + text)
    return made.hexdigest()


def content_now(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


content = functools.lru_cache(maxsize=None)(content_now)


@functools.lru_cache(maxsize=None)
def program():
    """The version may stay while a distribution mends the program."""
    path = os.path.realpath(shutil.which(PROGRAM) or PROGRAM)
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
    return digest(version, content(path))


@functools.lru_cache(maxsize=None)
def settings(folder):
    """All .clang-tidy from this folder up: a folder's own may inherit."""
    found = os.path.join(folder, ".clang-tidy")
    mine = [content(found)] if os.path.exists(found) else []
    above = os.path.dirname(folder)
    return mine if above == folder else mine + settings(above)


def words_of(entry):
    words = entry.get("arguments") or shlex.split(entry["command"])
    return words[1:] if os.path.basename(words[0]) == "ccache" else words


def compiling(entry):
    """How the file is compiled, without what is made of it."""
    given, words = iter(words_of(entry)), []
    for word in given:
        if word in ("-o", "-MF", "-MT", "-MQ"):
            next(given)
        elif word not in ("-c", "-MD", "-MMD"):
            words.append(word)
    return words


def included(entry):
    """The file and all headers that it includes, as the compiler finds them now."""
    made = subprocess.run(compiling(entry) + ["-M"], cwd=entry["directory"], capture_output=True, text=True)
    if made.returncode != 0:
        return None
    names = made.stdout.replace("\\\n", " ").split(":", 1)[1]
    paths = [name.replace("\\ ", " ") for name in re.findall(r"(?:\\ |\S)+", names)]
    return [os.path.normpath(os.path.join(entry["directory"], path)) for path in paths]


def key_of(path, entry, root, files):
    anywhere = lambda text: text.replace(root + os.sep, "./").replace(root, ".")  # a clone elsewhere is the same
    # HeaderFilterRegex is matched against whole paths: a clone below a folder of such a name shows more headers.
    place = root if re.search(r"/(include|src|cli|bench|examples)/", root + "/") else ""
    return digest(program(), *settings(os.path.dirname(path)), place, *[anywhere(word) for word in words_of(entry)],
                  anywhere(entry["directory"]), *[part for file in files for part in (anywhere(file), content(file))])


def cache_folder():
    named = os.environ.get("REDLATCH_ANALYSIS_CACHE")
    usual = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "redlatch", "analysis")
    folder = named or usual
    os.makedirs(folder, exist_ok=True)
    return folder


def look_at(path, entry, root, build, cache):
    """(the file, whether it is clean, what was said, whether that was known)"""
    files = included(entry) if entry else None  # None: there is no telling what matters
    mark = os.path.join(cache, key_of(path, entry, root, files)) if files else None
    if mark and os.path.exists(mark):
        os.utime(mark)
        return path, True, "", True
    made = subprocess.run([PROGRAM, "--quiet", "-p", build, path], capture_output=True, text=True)
    clean = made.returncode == 0
    if clean and mark and not made.stdout.strip():
        if all(content_now(file) == content(file) for file in files if file.startswith(root)):  # not edited meanwhile
            open(mark, "w").close()
    return path, clean, made.stdout + ("" if clean else made.stderr), False


def units(files, entries, build):
    """Translation units of several files: their folder, {a unit: the files in it}, {a unit: how it is compiled}."""
    folder = os.path.join(build, "together")
    os.makedirs(folder, exist_ok=True)
    groups = {}
    for path in files:
        entry, place = entries.get(path), os.path.dirname(path)
        if entry and settings(place) == settings(folder):
            words = [word for word in compiling(entry) if word != entry["file"]]
            groups.setdefault((place, entry["directory"], *words), []).append(path)
    made, their_entries = {}, {}
    for (_, directory, *words), members in sorted(groups.items()):
        for first in range(0, len(members), FILES_OF_A_UNIT):
            part = members[first:first + FILES_OF_A_UNIT]
            if len(part) < 2:
                continue
            unit = os.path.join(folder, f"{len(made)}.cpp")
            with open(unit, "w", encoding="utf-8") as file:
                file.writelines(f'#include "{path}" // NOLINT\n' for path in part)
            made[unit] = part
            their_entries[unit] = {"directory": directory, "file": unit,
                                   "arguments": [*words, "-Wno-shadow", "-c", unit]}
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(list(their_entries.values()), file)
    return folder, made, their_entries


def not_clean_together(pool, files, entries, root, build, cache):
    """The files that are to be looked at by themselves."""
    folder, made, their_entries = units(files, entries, build)
    looks = [pool.submit(look_at, unit, entry, root, folder, cache) for unit, entry in their_entries.items()]
    clean = set()
    for look in concurrent.futures.as_completed(looks):
        unit, is_clean, _, _ = look.result()
        if is_clean:
            clean.update(made[unit])
    return [path for path in files if path not in clean]


def forget_old(cache):
    oldest = time.time() - KEPT_FOR_DAYS * 86400
    for name in os.listdir(cache):
        mark = os.path.join(cache, name)
        if os.stat(mark).st_mtime < oldest:
            os.remove(mark)


def main(arguments):
    together = arguments[1] == "--together"
    if together:
        arguments = arguments[1:]
    build, root = os.path.abspath(arguments[1]), os.getcwd()
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = {os.path.normpath(os.path.join(one["directory"], one["file"])): one for one in json.load(file)}
    cache = cache_folder()
    forget_old(cache)
    known = wrong = 0
    files = [os.path.abspath(path) for path in arguments[2:]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        alone = not_clean_together(pool, files, entries, root, build, cache) if together else files
        looks = [pool.submit(look_at, path, entries.get(path), root, build, cache) for path in alone]
        for look in concurrent.futures.as_completed(looks):
            path, clean, said, was_known = look.result()
            known += was_known
            wrong += not clean
            if said.strip():
                print(said.rstrip())
            if not clean:
                print(f"{os.path.relpath(path, root)}: clang-tidy finds something", flush=True)
    by_themselves = f"{len(alone)} of them by themselves, " if together else ""
    print(f"{len(files)} files, {by_themselves}{known} of them known to be clean, {wrong} with findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
