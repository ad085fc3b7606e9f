"""A copy of the tree with a build of its own, in which one mutant at a time is made."""
import contextlib
import os
import subprocess

import isolated
from tree_copy import mirror

FOLDERS = ["src", "lua", "include", "cmake", "cli", "tests", "examples", "docs"]
FILES = ["CMakeLists.txt", "CMakePresets.json"]
# As CI builds it, so that ccache has all but the mutant; gold links in half of the time.
SETTINGS = ["-DREDLATCH_TESTS=ON", "-DREDLATCH_BENCH=OFF", "-DREDLATCH_TEST_UNITY=ON", "-DREDLATCH_TOOL_UNITY=ON",
            "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST", "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold"]
COMPILE_LIMIT = 1800


class Useless(Exception):
    """The tree or the machine is wrong, not a mutant."""


class Workshop:
    preset = "release"

    def __init__(self, root, name):
        self.root = root
        self.folder = root / "build" / "mutants" / name
        self.copy = self.folder / "tree"
        self.made = self.copy / "build" / self.preset
        self.log = self.folder / "log"

    # ---- building

    def prepare(self):
        for folder in FOLDERS:
            mirror(self.root / folder, self.copy / folder)
        for name in FILES:
            (self.copy / name).write_bytes((self.root / name).read_bytes())
        # What a mutant leaves unused is no reason not to compile it. ccache does not hash this, so the sound files are found.
        self.quiet_compiler = self.folder / "without_warnings"
        self.quiet_compiler.write_text('#!/bin/sh\nexec "$@" -w\n')
        self.quiet_compiler.chmod(0o755)
        configured = subprocess.run(["cmake", "--preset", self.preset, *SETTINGS], cwd=self.copy, capture_output=True,
                                    text=True, check=False)
        if configured.returncode != 0:
            raise Useless(configured.stdout + configured.stderr)
        if not isolated.is_possible(self.folder):
            raise Useless("mutants need process numbers of their own (unshare of util-linux, a kernel that permits it) and a "
                          "tree outside /tmp: one that signals the wrong process would end yours")

    def build(self, targets, mutated):
        environment = {**os.environ, "CCACHE_BASEDIR": str(self.copy), "CCACHE_NOHASHDIR": "1"}
        if mutated:
            environment.update(CCACHE_READONLY="1", CCACHE_PREFIX=str(self.quiet_compiler))
        try:
            done = subprocess.run(["ninja", "-C", str(self.made), *targets], env=environment, capture_output=True, text=True,
                                  timeout=COMPILE_LIMIT, errors="replace", check=False)
        except subprocess.TimeoutExpired:
            return "the compiler does not end"
        return "" if done.returncode == 0 else done.stdout[-4000:]

    def program(self, name):
        return next(path for path in (self.made / "tests").rglob(name) if path.is_file())

    @contextlib.contextmanager
    def broken(self, path, change):
        """For as long as it is judged, the file holds what `change` makes of its text."""
        source = self.copy / path
        sound = source.read_text()
        source.write_text(change(sound))
        try:
            yield
        finally:
            source.write_text(sound)
