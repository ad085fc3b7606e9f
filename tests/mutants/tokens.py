"""C++ as tokens: enough of the language to change one place of a file, and not enough to compile it."""
import bisect
import dataclasses
import re

PATTERN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
      | (?P<text>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"\w*|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"\w*|'(?:[^'\\\n]|\\.)+')
      | (?P<number>\.?\d(?:'?[\w.])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign><=>|->|::|\.\.\.|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|[^\s\w])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = set(OPENING.values())


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str  # text, number, name or sign
    text: str
    start: int
    end: int


class Source:
    """A file's tokens without comments and directives, and which bracket belongs to which."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens = [Token(found.lastgroup if found.lastgroup != "mark" else "text", found[0], *found.span())
                       for found in PATTERN.finditer(text)]
        self.tokens = [one for one in self.tokens if one.kind not in ("comment", "directive")]
        self.partner = {}  # of each bracket, both ways
        self.around = []  # of each token: the innermost bracket that is open there, or None
        open_ones = []
        for at, token in enumerate(self.tokens):
            is_sign = token.kind == "sign"
            if is_sign and token.text in CLOSING and open_ones:
                self.partner[at] = open_ones.pop()
                self.partner[self.partner[at]] = at
            self.around.append(open_ones[-1] if open_ones else None)
            if is_sign and token.text in OPENING:
                open_ones.append(at)
        self.line_starts = [0] + [found.end() for found in re.finditer("\n", text)]

    def word(self, at):
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def is_name(self, at):
        return 0 <= at < len(self.tokens) and self.tokens[at].kind == "name"

    def gap_before(self, at):
        """Is there a blank before this token? clang-format sees to it that only binary operators have one on both sides."""
        return 0 < at < len(self.tokens) and self.tokens[at - 1].end < self.tokens[at].start

    def between(self, first, last):
        """The text from one token to another, both included."""
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def line(self, offset):
        return bisect.bisect_right(self.line_starts, offset)

    def lines(self, start, end):
        """The bounds of the whole lines that hold these characters."""
        last = self.text.find("\n", end)
        return self.line_starts[self.line(start) - 1], len(self.text) if last < 0 else last
