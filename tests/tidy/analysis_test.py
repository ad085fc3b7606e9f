"""What analysis.py keeps: a made-up project, and a clang-tidy that counts how often it is asked."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "analysis.py")
# Writes a line for each file that it looks at, and finds something where there is a "wrong".
PRETENDER = """#!/bin/sh
[ "$1" = --version ] && { echo version 1; exit; }
for file; do :; done
echo "$file" >>"$LOOKS"
included=$(sed -n 's/#include "\\(.*\\)" .*/\\1/p' "$file")
! grep -q wrong "$file" $included || { echo "$file: wrong"; exit 1; }
"""


class Kept(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        self.root = self.tree("one")
        self.write("", "pretender", PRETENDER)
        os.chmod(os.path.join(self.place, "pretender"), 0o755)

    def write(self, root, path, text):
        path = os.path.join(self.place, root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def tree(self, name):
        self.write(name, "a.cpp", '#include "a.hpp"\nint main() { return A; }\n')
        self.write(name, "first/placeholder", "")
        self.write(name, "second/a.hpp", '#define A 0\n#include "b.hpp"\n')
        self.write(name, "second/b.hpp", "")
        self.write(name, ".clang-tidy", "Checks: '*'\n")
        return self.compiled(name, "")

    def compiled(self, name, flags):
        root = os.path.join(self.place, name)
        command = f"ccache {os.environ['CXX']} -I{root}/first -I{root}/second {flags} -o a.o -c {root}/a.cpp"
        entry = {"directory": os.path.join(root, "build"), "command": command, "file": f"{root}/a.cpp"}
        self.write(name, "build/compile_commands.json", json.dumps([entry]))
        return root

    def looked(self, root=None, files=("a.cpp",), together=False):
        """How often clang-tidy was asked, and the exit status."""
        looks = os.path.join(self.place, "looks")
        open(looks, "w").close()
        made = subprocess.run(
            [sys.executable, "-B", SCRIPT, *["--together"][:together], "build", *files],
            cwd=root or self.root, capture_output=True, text=True,
            env=os.environ | {"REDLATCH_ANALYSIS_CACHE": os.path.join(self.place, "cache"), "LOOKS": looks,
                              "REDLATCH_CLANG_TIDY": os.path.join(self.place, "pretender")})
        self.assertEqual(made.stderr, "")
        with open(looks, encoding="utf-8") as file:
            return len(file.readlines()), made.returncode

    def test_what_is_known_to_be_clean_is_not_looked_at(self):
        self.assertEqual(self.looked(), (1, 0))
        self.assertEqual(self.looked(), (0, 0))

    def test_findings_are_found_again(self):
        self.write("one", "a.cpp", "// wrong\n")
        self.assertEqual(self.looked(), (1, 1))
        self.assertEqual(self.looked(), (1, 1))

    def test_whatever_changes_the_verdict_is_looked_at(self):
        changes = {
            "the file": lambda: self.write("one", "a.cpp", "int main() {}\n#include \"a.hpp\"\n"),
            "a comment": lambda: self.write("one", "a.cpp", "int main() {} // NOLINT\n#include \"a.hpp\"\n"),
            "a macro that nobody uses": lambda: self.write("one", "second/b.hpp", "#define b 1\n"),
            "a header before another": lambda: self.write("one", "first/a.hpp", "#define A 1\n"),
            "the settings": lambda: self.write("one", ".clang-tidy", "Checks: '-*'\n"),
            "settings nearby": lambda: self.write("", ".clang-tidy", "Checks: '-*'\n"),
            "the compiler's words": lambda: self.compiled("one", "-DB=1"),
            "the program": lambda: self.write("", "pretender", PRETENDER + "# mended\n"),
        }
        for what, change in changes.items():
            self.looked()
            self.assertEqual(self.looked(), (0, 0), what)
            change()
            self.assertEqual(self.looked(), (1, 0), what)

    def project_of(self, names, flags=lambda name: ""):
        entries = [{"directory": f"{self.root}/build", "file": f"{self.root}/src/{name}.cpp",
                    "command": f"{os.environ['CXX']} {flags(name)} -o {name}.o -c {self.root}/src/{name}.cpp"}
                   for name in names]
        for name in names:
            self.write("one", f"src/{name}.cpp", f"int {name};\n")
        self.write("one", "build/compile_commands.json", json.dumps(entries))
        return [f"src/{name}.cpp" for name in names]

    def test_files_of_a_folder_are_looked_at_together(self):
        files = self.project_of("abcdefghijklmnopq")
        self.assertEqual(self.looked(files=files, together=True), (2, 0))  # sixteen, and one that is left
        self.assertEqual(self.looked(files=files, together=True), (0, 0))
        self.write("one", "src/b.cpp", "int changed;\n")
        self.assertEqual(self.looked(files=files, together=True), (1, 0))

    def test_what_is_clean_together_is_not_known_to_be_clean_alone(self):
        files = self.project_of("ab")
        self.assertEqual(self.looked(files=files, together=True), (1, 0))
        self.assertEqual(self.looked(files=files), (2, 0))

    def test_files_that_are_compiled_otherwise_are_looked_at_by_themselves(self):
        files = self.project_of("ab", flags=lambda name: f"-DNAME={name}")
        self.assertEqual(self.looked(files=files, together=True), (2, 0))

    def test_files_with_settings_of_their_own_are_looked_at_by_themselves(self):
        files = self.project_of("ab")
        self.write("one", "src/.clang-tidy", "Checks: '-*'\n")
        self.assertEqual(self.looked(files=files, together=True), (2, 0))

    def test_where_something_is_found_each_file_is_looked_at_by_itself(self):
        files = self.project_of("abc")
        self.write("one", "src/b.cpp", "// wrong\n")
        self.assertEqual(self.looked(files=files, together=True), (4, 1))

    def test_a_clone_elsewhere_is_the_same(self):
        self.looked()
        self.assertEqual(self.looked(self.tree("other")), (0, 0))

    def test_a_clone_whose_place_the_header_filter_knows_is_another(self):
        self.looked()
        self.assertEqual(self.looked(self.tree("src/one")), (1, 0))


if __name__ == "__main__":
    unittest.main()
