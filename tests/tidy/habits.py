"""Habits that a machine can check: sizes, leftovers, dead files, honest tests, links that lead somewhere."""

import os
import re

from tree import Finding, without_comments_and_literals

OURS = ("src/", "include/", "cli/", "tests/", "bench/", "examples/", "fuzz/")
LONGEST_LINE = 128  # clang-format keeps code at 120; prose and tables may take a little more
LONGEST_FILE = 500


def lines_fit(tree):
    for path in tree.paths():
        if path.endswith((".md", ".json", ".xml")):
            continue
        for number, line in tree.lines(path):
            if len(line) > LONGEST_LINE and "http" not in line:
                yield Finding(path, number, f"{len(line)} characters; {LONGEST_LINE} are the limit")
            if line != line.rstrip():
                yield Finding(path, number, "blanks at the end of the line")


def nothing_is_left_for_another_day(tree):
    word = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
    for path in tree.paths():
        for number, line in tree.lines(path):
            match = word.search(line)
            if match:
                yield Finding(path, number, f"{match.group(0)}: do it now, or write an issue")


def no_path_of_a_machine(tree):
    place = re.compile(r"(?<![\w.])/(home|root|Users|work(space)?)/")
    for path in tree.paths():
        for number, line in tree.lines(path):
            if place.search(line):
                yield Finding(path, number, "a path of somebody's machine")


def files_stay_small(tree):
    for path in tree.cpp(*OURS):
        size = len(tree.lines(path))
        if size > LONGEST_FILE and "// Long because " not in tree.files[path]:
            yield Finding(path, size, f"{size} lines: divide it, or say `// Long because …`")


def headers_are_proper(tree):
    for path in tree.paths(*OURS, suffix=".hpp"):
        if "#pragma once" not in tree.files[path]:
            yield Finding(path, 1, "no #pragma once")
        for number, line in tree.code(path):
            if re.match(r"using namespace (?!std::\w*literals)", line):
                yield Finding(path, number, "a header may not open a namespace for those who include it")


def switches_are_exhaustive(tree):
    """`default` hides a forgotten enumerator from the compiler; where it is right, a comment on the line says why."""
    for path in tree.cpp("src/", "include/", "cli/"):
        texts = dict(tree.lines(path))
        for number, line in tree.code(path):
            if re.search(r"\bdefault\s*:", line) and "//" not in texts[number]:
                yield Finding(path, number, "a switch names every enumerator; for other types say why beside `default`")


PRONOUNS = "of what how which whom whose who where when why it that them its mine ours theirs this_one".split()
NO_PARAMETERS = re.compile(  # what may stand before a bracket that no parameters stand in
    r"\b(if|for|while|switch|catch|return|sizeof|alignof|alignas|decltype|noexcept|requires|constexpr|static_assert|throw"
    r"|co_return|co_await|co_yield|explicit|new|delete|not|and|or)$"
)
PARAMETER = re.compile(  # as clang-format writes it: operators have blanks on both sides, references only behind them
    r"(?!(?:return|throw|new|delete|sizeof|case|goto|else|not|and|or|co_return|co_await|co_yield|operator)\b)"
    r"(?:\[\[\w+\]\]\s+)?(?:(?:const|typename|struct|class|enum|unsigned)\s+)*(?:::)?[A-Za-z_][\w:]*(?:<.*>)?(?:::\w+)*"
    r"(?:\s+const\b|[&*]+|\.\.\.)*\s+(?P<name>" + "|".join(PRONOUNS) + r")\s*(?:\[\[\w+\]\]\s*)?(?:=.*)?",
    re.DOTALL,
)


def lists_in_brackets(code):
    """(start, what stands between two commas) of all that is in round brackets; brackets of any kind are kept whole."""
    open_ones = []  # of each bracket: its sign, and where the part begins that is read, none where it has no parts
    for found in re.finditer(r"[][(){},]|(?<=\w)<(?![\s=<])|(?<![-\s])>", code):
        sign, at = found.group(0), found.start()
        if sign in "([{<":
            is_list = sign == "(" and not NO_PARAMETERS.search(code[max(0, at - 20) : at].rstrip())
            open_ones.append([sign, at + 1 if is_list else None])
            continue
        if sign != ">":
            while open_ones and open_ones[-1][0] == "<" and sign != ",":
                open_ones.pop()  # it was no bracket
        if not open_ones or (sign == ">" and open_ones[-1][0] != "<"):
            continue
        start = open_ones[-1][1]
        if start is not None and sign in ",)":
            yield start, code[start:at]
            open_ones[-1][1] = at + 1
        if sign != ",":
            open_ones.pop()


def parameters_are_nouns(tree):
    """A pronoun says nothing of an argument that its place does not say. Locals and members may be called so."""
    for path in tree.cpp("src/", "include/", "cli/"):
        code = "\n".join(line for _, line in tree.code(path))
        for start, part in lists_in_brackets(code):
            text = part.strip()
            found = PARAMETER.fullmatch(text)
            if found:
                at = start + part.index(text) + found.start("name")
                yield Finding(path, code.count("\n", 0, at) + 1, f"the parameter {found['name']}: a noun says what it is")


def names_from_elsewhere_are_used(tree):
    """Using-declarations and aliases of namespaces: what clang-tidy does not see in files that it looks at together."""
    declared = re.compile(r"^\s*using (?:\w+::)+(\w+);|^\s*namespace (\w+) =")
    for path in tree.paths("src/", "cli/", "bench/", "examples/", suffix=".cpp"):
        code = tree.code(path)
        whole = "\n".join(line for _, line in code)
        for number, line in code:
            found = declared.match(line)
            if not found:
                continue
            name = found.group(1) or found.group(2)
            word = re.compile(rf"\b{name}\b")
            if len(word.findall(whole)) == len(word.findall(line)):
                yield Finding(path, number, f"nothing in this file uses {name}")


def nothing_is_dead(tree):
    included = set()
    for path in tree.cpp(*OURS):
        included |= {file.replace("../", "") for _, _, file in tree.includes(path)}
    for path in tree.paths(*OURS, suffix=".hpp"):
        parts = path.split("/")
        names = {"/".join(parts[start:]) for start in range(len(parts))}
        if not names & included and path != "include/redlatch/redlatch.hpp":
            yield Finding(path, 1, "nobody includes this header")
    code = "".join(tree.files[path] for path in tree.cpp("src/"))
    for path in tree.paths("lua/", suffix=".lua"):
        name = os.path.basename(path)[: -len(".lua")]
        if f"scripts::{name}" not in code:
            yield Finding(path, 1, f"no source uses scripts::{name}")


def tests_do_not_sleep(tree):
    """A test waits for an event. Where time itself is the subject, the line before says `// sleeps because …`."""
    call = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep|sleep|Thread\.sleep)\s*\(")
    for path in tree.paths("tests/", suffix=(".cpp", ".hpp", ".java")):
        texts = dict(tree.lines(path))
        for number, line in tree.code(path):
            if call.search(line):
                near = texts[number] + texts.get(number - 1, "")
                if "sleeps because " not in near:
                    yield Finding(path, number, "a sleep: wait for an event, or say `// sleeps because …` above")


def tests_are_honest(tree):
    for path in tree.cpp("tests/"):
        for number, line in tree.code(path):
            if re.search(r"\bTEST\w*\(.*\bDISABLED_", line):
                yield Finding(path, number, "a disabled test tests nothing")
            if re.search(r"\b(EXPECT|ASSERT)_TRUE\(true\)", line):
                yield Finding(path, number, "an assertion that cannot fail")
            if re.search(r"\bGTEST_SKIP\(\)\s*;", line):
                yield Finding(path, number, "a test that is skipped says why")


def links_lead_somewhere(tree):
    for path in tree.paths(suffix=".md"):
        folder = os.path.dirname(path)
        for number, line in tree.lines(path):
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", line):
                file = os.path.normpath(os.path.join(folder, target))
                known = file in tree.files or any(other.startswith(f"{file}/") for other in tree.files)
                if "://" not in target and not known and file not in ("LICENSE",):
                    yield Finding(path, number, f"the link to {target} leads nowhere")


def citations_lead_somewhere(tree):
    """What is cited as a section of the wire format has a heading in docs/protocol.md; what is cited as an ADR is a page."""
    gap, number = r"(?:\s|//+|--|[#*])+", r"\d+(?:\.\d+)*"  # it may go on in the next line of a comment
    listed = rf"sections?{gap}({number}(?:(?:,|{gap}and|{gap}to){gap}{number})*)"
    section = re.compile(rf"\bprotocol{gap}{listed}", re.IGNORECASE)
    within_the_page = re.compile(rf"\b{listed}", re.IGNORECASE)
    decision = re.compile(r"\badrs?(?:/|\s+)(\d+(?:, 0\d{3}\b)*)", re.IGNORECASE)
    page = "docs/protocol.md"
    headings = set(re.findall(rf"^##+ ({number})\.? ", tree.files.get(page, ""), re.MULTILINE))
    decisions = {int(found) for found in re.findall(r"^docs/adr/(\d+)-.*\.md$", "\n".join(tree.files), re.MULTILINE)}
    for path, text in tree.files.items():
        line = lambda match: text.count("\n", 0, match.start()) + 1
        for match in (within_the_page if path == page else section).finditer(text):
            for cited in re.findall(number, match.group(1)):
                if cited not in headings:
                    yield Finding(path, line(match), f"{page} has no section {cited}")
        for match in decision.finditer(text):
            for cited in re.findall(r"\d+", match.group(1)):
                if int(cited) not in decisions:
                    yield Finding(path, line(match), f"docs/adr has no page {cited}")


def names_on_pages_exist(tree):
    """`a::b` on a page, where a is a class, an enumeration or a namespace of ours: b is in a file of it, or of a base of it."""
    files, bases = {}, {}
    for path in tree.cpp("src/", "include/"):
        code = "\n".join(line for _, line in tree.code(path))
        for word, head in re.findall(r"\b(class|struct|enum|namespace)\b([^;{}()=]*)\{", code):
            name, *behind = re.split(r"(?<!:):(?!:)", re.sub(r"<[^{}]*>|\bfinal\b", "", head))
            names = re.findall(r"\w+", name)
            for each in names if word == "namespace" else names[-1:]:
                files.setdefault(each, set()).add(code)
                bases.setdefault(each, set()).update(re.findall(r"\w+", " ".join(behind)))

    def has(owner, name, on_the_way=()):
        return any(re.search(name, code) for code in files.get(owner, ())) or any(
            has(base, name, (*on_the_way, owner)) for base in bases.get(owner, ()) if base not in on_the_way
        )

    for path in tree.paths(suffix=".md"):
        if not re.fullmatch(r"docs/\w+\.md|tests/model/README\.md", path):  # decisions name what was there when they were made
            continue
        for number, line in tree.lines(path):
            for owner, name, more in re.findall(r"(?=\b(\w+)::(\w+)(…?))", line):
                if owner in files and not has(owner, rf"\b{name}" + ("" if more else r"\b")):
                    yield Finding(path, number, f"there is no {owner}::{name} in src or include")


def tests_of_defects_exist(tree):
    """`suite.test` on the pages of Redisson's defects and of its tests is a test, whole and spelled out."""
    written = r"^[ \t]*TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\s*\)"
    tests = {
        match.groups()
        for path in tree.cpp("tests/")
        for match in re.finditer(written, without_comments_and_literals(tree.files[path]), re.MULTILINE)
    }
    for path in tree.paths("docs/redisson_defects.md", "docs/redisson_tests.md"):
        for number, line in tree.lines(path):
            for suite, test in re.findall(r"`(\w+)\.(\w+)`", line):
                if (suite, test) not in tests:
                    yield Finding(path, number, f"there is no test {suite}.{test}")
            if line.startswith("|") and re.search(r"`…|…`", line):
                yield Finding(path, number, "the name of a test is written out")


def each_test_of_redisson_is_answered(tree):
    """A row has a test of ours, or says why there is none."""
    for path in tree.paths("docs/redisson_tests.md"):
        for number, line in tree.lines(path):
            if not line.startswith("|"):
                continue
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) != 3:
                yield Finding(path, number, f"{len(cells)} columns; there are three")
            elif not re.search(r"`\w+\.\w+`", cells[1]) and not cells[2]:
                yield Finding(path, number, "neither a test of ours nor a reason")


def readme_shows_what_is_tested(tree):
    """Each block of C++ in the README is an example, whole, and examples are run."""
    examples = [tree.files[path].strip() for path in tree.cpp("examples/")]
    for block in re.finditer(r"^```cpp\n(.*?)^```", tree.files.get("README.md", ""), re.DOTALL | re.MULTILINE):
        if block.group(1).strip() not in examples:
            line = tree.files["README.md"].count("\n", 0, block.start()) + 1
            yield Finding("README.md", line, "this program is not one of examples/")


def kinds_are_played_and_measured(tree):
    """Each kind that is shipped, by its public header or its recipe, is one of the simulator's and has a row of bench."""
    headers = [re.fullmatch(r"include/redlatch/((?!basic_)(?:\w+_)?(?:lock|semaphore|latch|election))\.hpp", path)
               for path in tree.files]
    shipped = {header[1]: header[0] for header in headers if header}
    recipes = "src/locking/recipes/recipes.hpp"
    for name in re.findall(r"extern recipe const (\w+)_recipe;", tree.files.get(recipes, "")):
        shipped.setdefault({"read": "read_write", "write": "read_write"}.get(name, name), recipes)
    kinds = {re.sub(r"^(count_down|leader)_|_lock$", "", name): path for name, path in shipped.items()}
    simulator, tests = "tests/sim/main.cpp", "tests/sim/CMakeLists.txt"
    played = set(re.findall(r"{\"(\w+)\",\s*lock_kind::\w+}", tree.files.get(simulator, "")))
    listed = re.search(r"foreach\(kind ([^)]*)\)\s*redlatch_sim_test\(kinds\.", tree.files.get(tests, ""))
    tested = {"reentrant", *(listed[1].split() if listed else ())}  # that one has tests of its own
    rows = "".join(tree.files[path] for path in tree.cpp("bench/scenarios/"))
    for kind, path in kinds.items():
        if kind not in played:
            yield Finding(path, 1, f"{simulator} does not play {kind}")
        if kind not in tested:
            yield Finding(path, 1, f"{tests} has no seeds of {kind}")
        for row in {"read_write": ("read", "write"), "reentrant": ("re-entrant",)}.get(kind, (kind,)):
            title = row.replace("_", " ")
            if not re.search(rf'own\("{row}"|(\d|") {title}(s|es| locks)\b|"{title}"', rows):
                yield Finding(path, 1, f"no row of bench/scenarios is of {row}")


RULES = (
    lines_fit,
    nothing_is_left_for_another_day,
    no_path_of_a_machine,
    files_stay_small,
    headers_are_proper,
    switches_are_exhaustive,
    parameters_are_nouns,
    names_from_elsewhere_are_used,
    nothing_is_dead,
    tests_do_not_sleep,
    tests_are_honest,
    links_lead_somewhere,
    citations_lead_somewhere,
    names_on_pages_exist,
    tests_of_defects_exist,
    each_test_of_redisson_is_answered,
    readme_shows_what_is_tested,
    kinds_are_played_and_measured,
)
