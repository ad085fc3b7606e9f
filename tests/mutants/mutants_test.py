"""What the generator of mutants changes and what it leaves alone, how an argument about a survivor is matched, and what hunts
find."""
import contextlib
import io
import pathlib
import re
import tempfile
import unittest

import generated
import mutants
import proofs
import survivors
from changes import places
from table import ARGUED, MUTANTS, OF_THREADS

ROOT = pathlib.Path(__file__).resolve().parents[2]


def changed(line):
    """{(kind, the line that results)} of one line in a function."""
    text = "void f() {\n" + line + "\n}\n"
    return {(change.kind, change.apply(text).split("\n")[1]) for changes in places("a.cpp", text) for change in changes}


class Hunts(unittest.TestCase):
    """By a program that stands for the simulator."""

    def hunt(self, says, limit=60):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "tests" / "sim" / "redlatch_sim"
            program.parent.mkdir(parents=True)
            program.write_text("#!/bin/sh\n" + says)
            program.chmod(0o755)
            shop = mutants.Simulator.__new__(mutants.Simulator)
            shop.made = pathlib.Path(folder)
            return shop.hunt(limit, "--count", 9)[:2]

    def test_seeds_for_which_the_time_was_too_short_have_found_nothing(self):
        self.assertEqual(("", ""), self.hunt("echo 1.5 minutes were too short for 9 seeds; exit 2"))

    def test_a_seed_that_comes_to_no_end_has_found_it(self):
        self.assertEqual(("hangs", ""), self.hunt("exec sleep 60", 0.05))

    def test_a_broken_promise_has_found_it(self):
        self.assertEqual(("exclusion", "7"), self.hunt("echo seed 7 broke a promise, exclusion: two hold; exit 1"))
        self.assertEqual(("", ""), self.hunt("exit 0"))

    def test_the_simulator_is_told_how_long_it_has(self):
        self.assertEqual(("stops: status 3", ""), self.hunt('[ "$4" = 1.0 ] && exit 3'))


class Changes(unittest.TestCase):
    def makes(self, line, kind, *results):
        for result in results:
            self.assertIn((kind, result), changed(line))

    def leaves_alone(self, line):
        self.assertEqual(set(), changed(line))

    def test_operators(self):
        self.makes("x = a < b;", "comparison", "x = a <= b;")
        self.makes("x = a == b;", "comparison", "x = a != b;")
        self.makes("x = a + b;", "operator", "x = a - b;")
        self.makes("x = a && !b;", "operator", "x = a || !b;", "x = a && b;")
        self.makes("++x;", "operator", "--x;")

    def test_what_looks_like_an_operator_is_none(self):
        self.assertNotIn("operator", {kind for kind, _ in changed("auto&& x = std::vector<int>(size);")})
        self.assertNotIn("comparison", {kind for kind, _ in changed("std::map<int, a> x = make(size);")})
        self.assertNotIn("operator", {kind for kind, _ in changed('x = "a" + b;')})

    def test_conditions(self):
        self.makes("if (a) b();", "condition", "if (!(a)) b();", "if (true) b();", "if (false) b();")
        self.makes("if (auto x = y(); x) b();", "condition", "if (auto x = y(); !(x)) b();")
        self.makes("while (a) b();", "condition", "while (false) b();")
        self.assertNotIn(("condition", "while (true) b();"), changed("while (a) b();"))
        self.makes("for (int i = n; i; f(i)) b();", "condition", "for (int i = n; false; f(i)) b();")
        self.makes("x = a ? b : c;", "condition", "x = !(a) ? b : c;")

    def test_constants(self):
        self.makes("x = 8;", "constant", "x = 9;", "x = 7;", "x = 16;", "x = 0;")
        self.makes("x = 20ms;", "constant", "x = 40ms;", "x = 0ms;")
        self.makes("x = 0;", "constant", "x = 1;")
        self.makes("x = 0700;", "constant", "x = 0701;")
        self.makes("x = true;", "constant", "x = false;")

    def test_statements(self):
        self.makes("a.b(c);", "call", ";")
        self.makes("if (a) b();", "call", "if (a) ;")
        self.makes("x = a;", "statement", ";")
        self.makes("if (a) return;", "statement", "if (a) ;")
        self.makes("return a;", "return", "return {};")
        self.makes("f(a, b);", "arguments", "f(b, a);")

    def test_declarations_stay(self):
        for line in ("int x = y;", "auto const x = y;", "std::lock_guard guard(mutex);", "std::vector<int> x(y);",
                     "int& x = y;"):
            self.assertFalse({kind for kind, _ in changed(line)} & {"call", "statement"}, line)

    def test_what_no_proof_could_see_is_left_alone(self):
        self.leaves_alone("// a < b")
        self.leaves_alone('REDLATCH_ASSERT(a < b);')
        self.leaves_alone('static_assert(a < 5);')
        self.leaves_alone('log(level::warning, "n " + text(1));')
        self.leaves_alone("static_cast<void>(a);")
        self.leaves_alone("x.reserve(a + 8);")
        self.leaves_alone('auto const x = "a < b";')
        self.leaves_alone("[[maybe_unused]] std::array<char, 64> x;")
        self.leaves_alone("#define A 1")
        self.leaves_alone("auto const x = std::min(a, b);")

    def test_the_tree_offers_enough(self):
        files = generated.sources([])
        found = {path: places(path, (ROOT / path).read_text()) for path in files}
        self.assertGreater(sum(map(len, found.values())), 5_000)
        for path, of_file in found.items():
            text = (ROOT / path).read_text()
            for changes in of_file:
                for change in changes:
                    self.assertNotEqual(text, change.apply(text))


class Drawing(unittest.TestCase):
    TEXTS = {"a.cpp": "int f() {\n    if (a < 5) return b;\n    return c(d, e);\n}\n"}

    def drawn(self, seed):
        return [str(one) for one in generated.draw(sorted(self.TEXTS), self.TEXTS.__getitem__, seed)]

    def test_a_seed_determines_which(self):
        self.assertEqual(self.drawn(1), self.drawn(1))
        self.assertNotEqual(self.drawn(1), self.drawn(2))

    def test_lines_that_differ_in_their_indentation_alone_are_told_apart(self):
        text = "void f() {\n    settle();\n    if (a) {\n        settle();\n    }\n}\n"
        calls = [one for one in generated.draw(["a.cpp"], lambda path: text, 1) if one.change.kind == "call"]
        self.assertEqual([1, 2], sorted(one.nth for one in calls))
        self.assertEqual(2, len({one.key for one in calls}))

    def test_another_file_changes_none_of_the_others(self):
        before = self.drawn(1)
        more = {**self.TEXTS, "b.cpp": "int g() {\n    return h(1);\n}\n"}
        after = [str(one) for one in generated.draw(sorted(more), more.__getitem__, 1)]
        self.assertEqual(before, [one for one in after if one.startswith("a.cpp")])

    def test_each_place_comes_once(self):
        self.assertEqual(len(places("a.cpp", self.TEXTS["a.cpp"])), len(set(self.drawn(1))))


class Hunting(unittest.TestCase):
    TEXT = "int f() {\n    a();\n    b();\n    c();\n    d();\n}\n"

    class Shop:
        """By the one dropped call: found by what computes, found by a suite, found by nobody, no mutant."""
        BY_CALL = {"a": ("found", False), "b": ("found", True), "c": ("survived", True), "d": ("equal", False)}

        def judge(self, change, suites):
            verdict, by_suite = self.BY_CALL[Hunting.TEXT[change.start]]
            return verdict if suites == by_suite else "survived", "a proof", ""

    def verdicts(self, count, suites, arguments=()):
        drawn = generated.draw(["a.cpp"], lambda _: self.TEXT, 1)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            results = generated.Results(pathlib.Path(folder) / "results", pathlib.Path(folder) / "kept", False)
            hunt = generated.Hunt([one for one in drawn if one.change.kind == "call"], count, results, arguments)
            hunt.work(self.Shop(), suites)
            return sorted((one["old"][0].strip(), one["verdict"]) for one in hunt.judged())

    def test_what_only_computes_comes_first_and_leaves_the_rest_open(self):
        self.assertEqual([("a();", "found"), ("b();", "open"), ("c();", "open")], self.verdicts(10, False))

    def test_suites_settle_what_is_open(self):
        self.assertEqual([("a();", "found"), ("b();", "found"), ("c();", "survived")], self.verdicts(10, True))

    def test_suites_do_not_judge_what_an_argument_calls_equivalent(self):
        argued = {survivors.key("a.cpp", ["    b();"], ["    ;"])}
        self.assertEqual([("a();", "found"), ("b();", "open"), ("c();", "survived")], self.verdicts(10, True, argued))

    def test_what_compiles_to_the_same_is_not_counted(self):
        self.assertEqual(3, len(self.verdicts(3, False)))


class EqualLines(unittest.TestCase):
    TEXT = "int f() {\n    a();\n    b();\n    a();\n}\n"

    def test_each_of_them_has_its_own_verdict(self):
        drawn = [one for one in generated.draw(["a.cpp"], lambda _: self.TEXT, 1) if one.change.kind == "call"]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            results = generated.Results(folder / "results", folder / "kept", False)
            for one in drawn:
                results.add(one, {2: "found", 3: "open", 4: "survived"}[one.line], "a proof", "", 1)
            results.keep(drawn)
            again = generated.Results(folder / "others", folder / "kept", True)
            self.assertEqual(["found", "open", "survived"],
                             [again.verdict(one) for one in sorted(drawn, key=lambda one: one.line)])


class Keeping(unittest.TestCase):
    """What was judged is kept for as long as its lines are there."""

    def judged(self, folder, text, *, resume, judge=None):
        drawn = [one for one in generated.draw(["a.cpp"], lambda _: text, 1) if one.change.kind == "call"]
        results = generated.Results(folder / "results", folder / "kept", resume)
        for mutant in drawn:
            if judge and not results.verdict(mutant):
                results.add(mutant, *judge(mutant))
        results.keep(drawn)
        return {one.old[0].strip(): results.verdict(one) for one in drawn}

    def test_it_is_known_again_without_the_file_of_the_run(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            verdicts = {"a();": "found", "b();": "survived", "c();": "open", "d();": "equal"}
            self.judged(folder, Hunting.TEXT, resume=False,
                        judge=lambda one: (verdicts[one.old[0].strip()], "a proof", "", 1))
            (folder / "results").unlink()
            changed_text = Hunting.TEXT.replace("a();", "e();")
            known = self.judged(folder, changed_text, resume=True)
            self.assertEqual({"e();": "", "b();": "survived", "c();": "open", "d();": "equal"}, known)
            self.assertEqual(3, len((folder / "kept").read_text().splitlines()))

    def test_without_resuming_all_is_judged_anew(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.judged(folder, Hunting.TEXT, resume=False, judge=lambda one: ("found", "a proof", "", 1))
            self.assertEqual({""}, set(self.judged(folder, Hunting.TEXT, resume=False).values()))


class Reporting(unittest.TestCase):
    def test_what_no_proof_has_found_is_shown_and_counts(self):
        drawn = [one for one in generated.draw(["a.cpp"], lambda _: Hunting.TEXT, 1) if one.change.kind == "call"]
        verdicts = {"a();": "found", "b();": "open", "c();": "survived", "d();": "survived"}
        argued = {survivors.key("a.cpp", ["    d();"], ["    ;"])}
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            first = generated.Results(folder / "results", folder / "kept", False)
            for one in drawn:
                first.add(one, verdicts[one.old[0].strip()], "a proof", "", 1)
            first.keep(drawn)
            kept = generated.Results(folder / "others", folder / "kept", True)
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                counted = generated.report(generated.Hunt(drawn, 10, kept).judged(), argued)
        self.assertEqual(["    b();", "    c();"], sorted(one["old"][0] for one in counted))
        self.assertIn("open, a.cpp:3", said.getvalue())
        self.assertIn("survived, a.cpp:4", said.getvalue())
        self.assertNotIn("a.cpp:5", said.getvalue())
        self.assertIn("1 of 4 found: 25.0 %; of those that no argument calls equivalent, 33.3 %", said.getvalue())


class Survivors(unittest.TestCase):
    ENTRY = survivors.entry("a.cpp", ["    if (a) b();"], ["    if (true) b();"], "It is always true.\n")

    def test_an_argument_is_matched_by_its_lines(self):
        arguments = survivors.read("# Title\n\nWords.\n\n" + self.ENTRY + "\n" + self.ENTRY.replace("a.cpp", "b.cpp"))
        self.assertEqual(2, len(arguments))
        self.assertEqual("It is always true.", arguments[survivors.key("a.cpp", ["if (a) b();"], ["if (true) b();"])])
        self.assertNotIn(survivors.key("a.cpp", ["if (c) b();"], ["if (true) b();"]), arguments)

    def test_it_lapses_with_them(self):
        arguments = survivors.read(self.ENTRY)
        self.assertEqual([], survivors.lapsed(arguments, lambda _: "void f() {\n  if (a) b();\n}\n"))
        self.assertEqual(1, len(survivors.lapsed(arguments, lambda _: "void f() {\n  if (c) b();\n}\n")))
        self.assertEqual(1, len(survivors.lapsed(arguments, lambda _: None)))

    def test_each_has_its_argument(self):
        text = generated.ARGUMENTS.read_text()
        arguments = survivors.read(text)
        self.assertEqual(text.count("\n### "), len(arguments))
        for (path, *_), why in arguments.items():
            self.assertTrue(why, path)


class Proofs(unittest.TestCase):
    ALL = proofs.proofs(1, 1)

    def names(self, path):
        return [one.name for one in proofs.for_file(path, self.ALL)]

    def test_a_folders_own_tests_come_first(self):
        self.assertEqual("unit_locking", self.names("src/locking/tenure.hpp")[0])
        self.assertEqual("unit_api", self.names("src/api/config.cpp")[0])
        self.assertEqual(["cli_parts", "cli"], self.names("cli/text.cpp"))

    def test_what_starts_servers_comes_last(self):
        kinds = [one.is_suite for one in proofs.for_file("src/io/lane.cpp", self.ALL)]
        self.assertEqual(sorted(kinds), kinds)

    def test_units_judge_what_they_stand_on(self):
        self.assertIn("unit_locking", self.names("src/base/backoff.cpp"))
        self.assertNotIn("unit_base", self.names("src/locking/tenure.hpp"))

    def test_the_simulator_judges_what_runs_in_it(self):
        self.assertIn("sim: seeds", self.names("src/io/lane.cpp"))
        self.assertNotIn("sim: seeds", self.names("src/io/parker.cpp"))

    def test_what_failed_is_named(self):
        self.assertEqual("a.b", proofs.what_failed("x\n[  FAILED  ] a.b (3 ms)\n"))
        self.assertEqual("a.b", proofs.what_failed("The following tests FAILED:\n\t 12 - a.b (Failed)\n"))


class Table(unittest.TestCase):
    def test_each_has_its_place(self):
        for name, path, old, new in MUTANTS + OF_THREADS:
            with self.subTest(name):
                self.assertEqual(1, (ROOT / path).read_text().count(old), f"{name}: its text in {path}")
                self.assertNotEqual(old, new, name)

    def test_what_is_argued_is_there(self):
        self.assertLessEqual(set(ARGUED), {name for name, *_ in MUTANTS + OF_THREADS})

    def test_parts_are_the_whole_together(self):
        parts = [mutants.chosen(MUTANTS, part=mutants.part_of_table(f"{k}/7")) for k in range(1, 8)]
        self.assertCountEqual(MUTANTS, [one for part in parts for one in part])
        self.assertLessEqual(max(map(len, parts)) - min(map(len, parts)), 1)
        for wrong in ("0/7", "8/7", "1/0", "x", "1/2/3"):
            with self.assertRaises(mutants.argparse.ArgumentTypeError):
                mutants.part_of_table(wrong)

    def test_names_are_used_once(self):
        names = [name for name, *_ in MUTANTS + OF_THREADS]
        self.assertEqual(sorted(set(names)), sorted(names))


class Page(unittest.TestCase):
    """docs/testing.md says what found each of them."""

    ROWS = set(re.findall(r"^\| ([^|]+?) \|", (ROOT / "docs/testing.md").read_text(), re.M))
    NAMES = {name for name, *_ in MUTANTS + OF_THREADS}

    def test_each_has_a_row(self):
        self.assertEqual(set(), self.NAMES - self.ROWS)


if __name__ == "__main__":
    unittest.main()
