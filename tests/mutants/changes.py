"""What a generated mutant changes: the places in a file, and what else could stand there.

Places that change nothing which a proof could see are left out: what is logged, assertions, static_assert, attributes,
memory that is reserved, arguments of templates, comments and directives. A change that does not compile is dropped later.
"""
import dataclasses
import re

from tokens import Source

COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
COMPUTED = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&&": "||", "||": "&&", "&": "|", "|": "&", "<<": ">>",
            ">>": "<<", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|="}
COUNTED = {"++": "--", "--": "++"}
UNARY_AFTER = {"(", ",", "=", "return", "[", "{", "?", ":", "&&", "||", "!", "<", ">", "==", "+", "-", "*", "/"}

SILENT_CALLS = {"static_assert", "REDLATCH_ASSERT", "log", "noexcept", "alignas", "decltype", "sizeof", "requires", "reserve",
                "shrink_to_fit"}
SYMMETRIC_CALLS = {"min", "max", "swap", "minmax"}
NOT_AN_EXPRESSION = {"return", "if", "for", "while", "switch", "case", "default", "using", "typedef", "goto", "do", "else",
                     "struct", "class", "enum", "union", "static", "constexpr", "const", "auto", "template", "friend", "public",
                     "private", "protected", "namespace", "delete", "try", "catch", "extern", "inline", "virtual", "explicit",
                     "mutable", "thread_local", "static_assert", "REDLATCH_ASSERT"}
HEADS = {"if", "while", "for", "switch"}
NO_CALL = HEADS | {"return", "catch", "sizeof", "alignas", "noexcept", "decltype", "operator"}
ASSIGNED = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "++", "--"}
DROPPED = ""


@dataclasses.dataclass(frozen=True)
class Change:
    path: str
    start: int
    end: int
    kind: str
    new: str

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]


class Finder:
    """All changes of one file, as lists: one list for each place."""

    def __init__(self, path, text):
        self.source = Source(path, text)
        self.tokens = self.source.tokens
        self.places = []
        self.silent = self.silent_tokens()

    def add(self, first, last, kind, *others):
        start, end = self.tokens[first].start, self.tokens[last].end
        present = self.source.text[start:end]
        changes = [Change(self.source.path, start, end, kind, other) for other in dict.fromkeys(others) if other != present]
        if changes:
            self.places.append(changes)

    def find(self):
        for at, token in enumerate(self.tokens):
            if at in self.silent:
                continue
            if token.kind == "number":
                self.constant(at)
            elif token.kind == "sign":
                self.operator(at)
                if token.text == "(":
                    self.arguments(at)
                elif token.text == "?":
                    self.choice(at)
            elif token.kind == "name":
                if token.text in ("true", "false"):
                    self.add(at, at, "constant", "false" if token.text == "true" else "true")
                elif token.text in HEADS:
                    self.condition(at)
                elif token.text == "return":
                    self.returned(at)
            if self.begins_statement(at):
                self.statement(at)
        return self.places

    # ---- what is left alone

    def silent_tokens(self):
        silent, source = set(), self.source
        for at, token in enumerate(self.tokens):
            opening = at + 1
            if token.text == "[" and source.word(at + 1) == "[":
                silent.update(range(at, source.partner.get(at, at) + 1))
            elif token.text == "template" and source.word(at + 1) == "<":
                silent.update(range(at, self.end_of_template(at + 1) + 1))
            elif token.text == "requires":
                line_end = source.lines(token.start, token.end)[1]
                silent.update(other for other in range(at, len(self.tokens)) if self.tokens[other].start < line_end)
            elif token.text == "if" and source.word(at + 1) == "constexpr":
                silent.update(range(at, source.partner.get(at + 2, at) + 1))
            elif token.text in SILENT_CALLS and source.word(opening) == "(":
                silent.update(range(at, source.partner.get(opening, opening) + 1))
        return silent

    def end_of_template(self, at):
        depth = 0
        for other in range(at, len(self.tokens)):
            depth += {"<": 1, ">": -1, ">>": -2}.get(self.source.word(other), 0)
            if depth <= 0:
                return other
        return at

    # ---- operators and constants

    def operator(self, at):
        source, word = self.source, self.source.word(at)
        after, before = source.gap_before(at + 1), source.gap_before(at)
        if after and before:
            if word in COMPARED:
                self.add(at, at, "comparison", COMPARED[word])
            elif word in COMPUTED and "text" not in (self.tokens[at - 1].kind, self.tokens[at + 1].kind):
                self.add(at, at, "operator", COMPUTED[word])
        elif word in COUNTED:
            self.add(at, at, "operator", COUNTED[word])
        elif word in ("!", "-") and not after and source.word(at - 1) in UNARY_AFTER:
            self.add(at, at, "operator", "")

    def constant(self, at):
        source = self.source
        in_template = not source.gap_before(at) and source.word(at - 1) == "<" or \
            not source.gap_before(at + 1) and source.word(at + 1) in (">", ">>", ">{")
        if in_template:
            return
        found = re.fullmatch(r"(0x[0-9a-fA-F']+|\d[\d']*)([A-Za-z_]\w*)?", source.word(at))
        if not found:
            return
        digits, unit = found[1].replace("'", ""), found[2] or ""
        form = "{:#x}" if digits.startswith("0x") else "0{:o}" if len(digits) > 1 and digits[0] == "0" else "{}"
        value = int(digits, 16 if form == "{:#x}" else 8 if form == "0{:o}" else 10)
        others = [1] if value == 0 else [value + 1, value - 1, value * 2, 0]
        self.add(at, at, "constant", *(("0" if other == 0 else form.format(other)) + unit for other in others))

    # ---- conditions

    def condition(self, at):
        opening = at + 1
        if self.source.word(at) == "switch" or self.source.word(opening) != "(" or opening not in self.source.partner:
            return
        first, last = opening + 1, self.source.partner[opening] - 1
        parts = [other for other in range(first, last + 1)
                 if self.source.word(other) == ";" and self.source.around[other] == opening]
        word = self.source.word(at)
        if word == "for":
            if len(parts) != 2 or parts[0] + 1 >= parts[1]:
                return
            first, last = parts[0] + 1, parts[1] - 1
        elif parts:
            first = parts[-1] + 1
        if first > last or self.source.word(first) == "auto" or self.source.between(first, last) in ("true", "false"):
            return
        text = self.source.between(first, last)
        # A loop without an end is found by its time alone, which says little about the proofs.
        self.add(first, last, "condition", f"!({text})", "false", *(["true"] if word == "if" else []))

    def choice(self, at):
        """`condition ? this : that`"""
        first = at - 1
        while first >= 0:
            word = self.source.word(first)
            if word in CLOSING_OF and first in self.source.partner:
                first = self.source.partner[first] - 1
                continue
            if word in ("(", "[", "{", ",", ";", "=", "return", "?", ":", "<<", "+", "}") or word in ASSIGNED:
                break
            first -= 1
        if first + 1 > at - 1:
            return
        text = self.source.between(first + 1, at - 1)
        self.add(first + 1, at - 1, "condition", f"!({text})", "true", "false")

    # ---- statements

    def in_code(self, at):
        """Is this place inside a function?"""
        brace = self.source.around[at]
        while brace is not None and self.source.word(brace) != "{":
            brace = self.source.around[brace]
        if brace is None:
            return False
        head, other = [], brace - 1
        while other >= 0:
            word = self.source.word(other)
            if word in (";", "{", "}") and other not in self.source.partner or word in (";", "{", "}"):
                break
            if word in (")", "]") and other in self.source.partner:
                head.append(word)
                other = self.source.partner[other] - 1
                continue
            head.append(word)
            other -= 1
        if any(word in ("namespace", "class", "struct", "enum", "union") for word in head):
            return False
        return not head or ")" in head or "]" in head or head[-1] in ("else", "do", "try")

    def begins_statement(self, at):
        source, before = self.source, self.source.word(at - 1)
        if before in (";", "{", "}", "else"):
            return source.around[at] is not None and source.word(source.around[at]) == "{"
        if before == ")" and at - 1 in source.partner:
            return source.word(source.partner[at - 1] - 1) in HEADS
        if before == ":":
            return source.word(at - 3) == "case" or source.word(at - 2) == "default" or source.word(at - 5) == "case"
        return False

    def statement(self, at):
        source, last = self.source, at
        while last < len(self.tokens) and source.word(last) != ";":
            if source.word(last) in ("}", ")", "]"):
                return
            last = source.partner.get(last, last) + 1
        if last >= len(self.tokens) or not self.in_code(at):
            return
        words = [source.word(other) for other in range(at, last)]
        if words in (["break"], ["continue"], ["return"]):
            return self.add(at, last, "statement", DROPPED + ";")
        if words and words[0] in NOT_AN_EXPRESSION or words[:2] == ["static_cast", "<"]:
            return None
        if self.is_declaration(at, last) or not ("(" in words or ASSIGNED & set(words)):
            return None
        silent_call = any(word in SILENT_CALLS and source.word(at + index + 1) == "(" and source.around[at + index]
                          == source.around[at] for index, word in enumerate(words))
        if silent_call:
            return None
        return self.add(at, last, "call" if "(" in words and words[-1] == ")" else "statement", DROPPED + ";")

    def is_declaration(self, first, last):
        source = self.source
        for at in range(first, last):
            if source.around[at] != source.around[first] or not source.is_name(at + 1) or at + 1 >= last:
                continue
            word = source.word(at)
            if source.is_name(at) and word not in ("throw", "co_await", "co_return", "new", "not"):
                return True
            if word in (">", "&", "*", "&&", "]") and not source.gap_before(at) and source.gap_before(at + 1):
                return True
        return False

    def returned(self, at):
        last = at + 1
        while last < len(self.tokens) and self.source.word(last) != ";":
            last = self.source.partner.get(last, last) + 1
        if last >= len(self.tokens) or last == at + 1:
            return
        text = self.source.between(at + 1, last - 1)
        if text in ("true", "false", "{}", "nullptr", "std::nullopt", "0", "*this", "end()"):
            return
        self.add(at + 1, last - 1, "return", "{}")

    # ---- arguments

    def arguments(self, at):
        source = self.source
        name = source.word(at - 1)
        if at not in source.partner or not (source.is_name(at - 1) and name not in NO_CALL or name == ">"):
            return
        if name in SYMMETRIC_CALLS or not self.in_code(at):
            return
        last = source.partner[at]
        commas = [other for other in range(at + 1, last) if source.word(other) == "," and source.around[other] == at]
        bounds = list(zip([at] + commas, commas + [last]))
        for (left_begin, comma), (_, right_end) in zip(bounds, bounds[1:]):
            left = range(left_begin + 1, comma)
            right = range(comma + 1, right_end)
            if not (self.is_simple(left) and self.is_simple(right)):
                continue
            first, second = source.between(left[0], left[-1]), source.between(right[0], right[-1])
            if first != second:
                self.add(left[0], right[-1], "arguments", f"{second}, {first}")

    def is_simple(self, tokens):
        if not tokens or any(self.source.word(at) in ("{", "<", ">", "=") or self.tokens[at].kind == "text" for at in tokens):
            return False
        if any(self.source.word(at).startswith("memory_order") for at in tokens):
            return False  # no argument of another kind takes its place
        adjacent = any(self.source.is_name(at) and self.source.is_name(at + 1) for at in tokens[:-1])
        return not adjacent and not self.source.word(tokens[0]) == "["


CLOSING_OF = {")", "]"}


def places(path, text):
    """Lists of changes: one list for each place of the file, in the file's order."""
    found = Finder(path, text).find()
    return sorted(found, key=lambda changes: (changes[0].start, changes[0].end, changes[0].kind))
