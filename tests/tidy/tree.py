"""The source tree as the rules see it: paths and texts, from disk or made up by a test."""

import os
import re
from dataclasses import dataclass

SUFFIXES = (".cpp", ".hpp", ".lua", ".cmake", ".txt", ".md", ".py", ".sh", ".java", ".json", ".xml", ".yaml", ".yml", ".1")
SCRIPTS = ("dev", ".ci/run", ".clang-tidy", ".clang-format", "tools/bare_machine")
NOT_OURS = {"build", ".git", ".cache", "corpus", "target", "__pycache__"}


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    sentence: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.sentence}"


class Tree:
    def __init__(self, files):
        self.files = dict(files)
        self.code_ = {}

    @staticmethod
    def read(root):
        files = {}
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if name not in NOT_OURS)
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), root)
                if path.endswith(SUFFIXES) or path in SCRIPTS:
                    with open(os.path.join(root, path), encoding="utf-8") as file:
                        files[path] = file.read()
        return Tree(files)

    def paths(self, *folders, suffix=""):
        """The paths below any of the folders (all without one) that end in the suffix or one of the suffixes."""
        return [path for path in self.files if path.endswith(suffix) and (not folders or path.startswith(folders))]

    def cpp(self, *folders):
        return self.paths(*folders, suffix=(".cpp", ".hpp"))

    def lines(self, path):
        return list(enumerate(self.files[path].splitlines(), 1))

    def code(self, path):
        """The numbered lines of a C++ file without comments and without the contents of literals."""
        if path not in self.code_:
            self.code_[path] = list(enumerate(without_comments_and_literals(self.files[path]).splitlines(), 1))
        return self.code_[path]

    def includes(self, path):
        """(line, bracket, file) for each include directive; the bracket is '"' or '<'."""
        for number, line in self.lines(path):
            match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
            if match:
                yield number, match.group(1), match.group(2)


TOKENS = re.compile(
    r'R"(?P<mark>[^()\\ ]{0,16})\(.*?\)(?P=mark)"'  # raw strings first: quotes and comments mean nothing in them
    r"|//[^\n]*|/\*.*?\*/"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'",  # not the separator of digits
    re.DOTALL,
)


def without_comments_and_literals(text):
    def blank(match):
        token = match.group(0)
        return ('""' if token[0] in 'R"' else " ") + "\n" * token.count("\n")

    return TOKENS.sub(blank, text)
