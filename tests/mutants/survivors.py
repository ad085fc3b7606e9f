"""survivors.md: mutants that no proof finds, and why each is none that could be found.

An entry names the file in its heading, shows the lines before and after as a diff, and argues below. It is matched by these
lines: when the code changes, the argument lapses.
"""
import re

ENTRY = re.compile(r"^### (?P<path>\S+)\n+```diff\n(?P<diff>.*?)^```\n+(?P<why>.*?)(?=^#|\Z)", re.M | re.S)


def stripped(lines):
    return tuple(line.strip() for line in lines if line.strip())


def key(path, old, new):
    """What an entry and a mutant are compared by: their lines without indentation."""
    return path, stripped(old), stripped(new)


def read(text):
    """{key: argument}"""
    arguments = {}
    for found in ENTRY.finditer(text):
        lines = found["diff"].splitlines()
        old, new = ([line[1:] for line in lines if line.startswith(sign)] for sign in "-+")
        arguments[key(found["path"], old, new)] = " ".join(found["why"].split())
    return arguments


def entry(path, old, new, why):
    diff = "".join(f"-{line}\n" for line in old) + "".join(f"+{line}\n" for line in new)
    return f"### {path}\n```diff\n{diff}```\n{why}\n"


def lapsed(arguments, text_of):
    """The keys whose lines stand in their file no more."""
    def stands(path, old):
        lines = [line.strip() for line in (text_of(path) or "").splitlines() if line.strip()]
        return any(tuple(lines[at:at + len(old)]) == old for at in range(len(lines)))

    return [one for one in arguments if not stands(one[0], one[1])]
