"""Each rule rejects a small bad tree and accepts its good twin. A rule without a case here fails the test."""

import unittest

import habits
import layers
import tidy
from tree import Tree, without_comments_and_literals

LEFTOVER = "TO" + "DO"
SECTION = "protocol " + "section"
DECISION = "ad" + "r"
PAGE = "# The wire format\n## 0. Words\n### 0.1 Names\n## 1. The lock\n"
TEST = "tests/unit/a_test.cpp"
RED = "include/redlatch/red_lock.hpp"
RECIPES = "src/locking/recipes/recipes.hpp"
PLAYED = {
    "tests/sim/main.cpp": '{{"red", lock_kind::red}, {"read_write", lock_kind::read_write}, {"latch", lock_kind::latch}};\n',
    "tests/sim/CMakeLists.txt": "foreach(kind red\n    read_write latch)\n    redlatch_sim_test(kinds.${kind})\n",
    "bench/scenarios/kinds.cpp": 'many + " red locks", "64 latches", own("read", half), own("write", other)\n',
}

# rule: (bad trees, good trees); a tree is {path: text}.
CASES = {
    layers.folders_include_only_what_is_below: (
        [
            {"src/resp/a.cpp": '#include "locking/b.hpp"\n', "src/locking/b.hpp": ""},
            {"src/embedded/a.cpp": '#include "api/b.hpp"\n', "src/api/b.hpp": ""},
            {"src/embedded/a.cpp": '#include "locking/b.hpp"\n', "src/locking/b.hpp": ""},
            {"src/io/a.cpp": '#include "api/b.hpp"\n', "src/api/b.hpp": ""},
            {"src/io/a.cpp": '#include "b.hpp"\n', "src/io/b.hpp": ""},
            {"src/elsewhere/a.cpp": ""},
        ],
        [
            {
                "src/locking/a.cpp": '#include "resp/b.hpp"\n#include "locking/c.hpp"\n',
                "src/resp/b.hpp": "",
                "src/locking/c.hpp": "",
            },
            {"src/embedded/a.cpp": '#include "io/b.hpp"\n', "src/io/b.hpp": ""},
        ],
    ),
    layers.kinds_are_named_by_recipes_and_the_interface_only: (
        [
            {"src/locking/a.cpp": '#include "locking/recipes/recipes.hpp"\n', "src/locking/recipes/recipes.hpp": ""},
            {"src/io/a.cpp": "if (record.how == &spin_recipe) return;\n"},
            {"src/io/a.cpp": "auto const queue = fair_queue(name);\n"},
            {"src/locking/a.hpp": "std::int64_t permits_ = 0;\n"},
            {"src/connection/a.hpp": "bool is_of_latch(std::string_view channel);\n"},
            {"src/locking/semaphore_turn.hpp": "class turn {};\n"},
        ],
        [
            {"src/io/a.cpp": "if (!record.how->reentrant) return; // as non_reentrant_recipe says\n"},
            {"src/io/a.cpp": 'int spins = unfair; // as a fair lock\nfail("the semaphore " + name, latched);\n'},
            {"src/io/permit_lease.cpp": "permit_lease::permit_lease(client_core& core) { core.permits_held().add(*this); }\n"},
            {"src/embedded/a.cpp": "bool is_semaphore(std::string_view key);\n"},
            {"src/locking/recipes/spin.cpp": "recipe const spin_recipe{};\n", "src/api/a.cpp": "use(spin_recipe);\n"},
        ],
    ),
    layers.the_core_sees_few_public_headers: (
        [{"src/locking/a.cpp": "#include <redlatch/client.hpp>\n"}, {"src/base/a.hpp": "#include <redlatch/hold.hpp>\n"}],
        [{"src/locking/a.cpp": "#include <redlatch/error.hpp>\n", "src/api/b.cpp": "#include <redlatch/client.hpp>\n"}],
    ),
    layers.the_core_has_no_threads_clocks_or_sockets: (
        [
            {"src/locking/a.hpp": "#include <mutex>\n"},
            {"src/connection/a.cpp": "#include <sys/socket.h>\n"},
            {"src/base/a.cpp": "auto t = lease_clock::now();\n"},
            {"src/base/a.cpp": "std::random_device chance;\n"},
            {"src/locking/a.cpp": "auto me = owner::this_thread::id();\n"},
        ],
        [
            {"src/locking/a.cpp": "// never steady_clock::now()\nauto t = now;\n"},
            {"src/io/b.cpp": "#include <mutex>\nauto t = lease_clock::now();\n"},
        ],
    ),
    layers.libraries_stay_behind_few_files: (
        [
            {"src/resp/reader.hpp": "#include <hiredis/read.h>\n"},
            {"src/resp/a.cpp": "#include <hiredis/read.h>\n", "src/resp/b.cpp": "#include <hiredis/read.h>\n"},
            {"src/io/a.cpp": "#include <hiredis/hiredis.h>\n"},
            {"src/api/config.cpp": "#include <yaml-cpp/yaml.h>\n"},
            {"src/io/a.cpp": "#include <boost/asio.hpp>\n"},
            {"src/io/tls/tls_client.hpp": "#include <openssl/ssl.h>\n"},
            {"include/redlatch/hold.hpp": "// A.\n#include <boost/asio/post.hpp>\n"},
            {"examples/1_plain.cpp": "#include <boost/asio/post.hpp>\n"},
            {"examples/1_plain.cpp": "#include <hiredis/hiredis.h>\n"},
            {"include/redlatch/asio.hpp": "// A.\n#include <boost/optional.hpp>\n"},
        ],
        [
            {
                "include/redlatch/detail/asio_loop.hpp": "// A.\n#include <boost/asio/post.hpp>\n",
                "include/redlatch/asio_work.hpp": "// A.\n#include <boost/asio/awaitable.hpp>\n",
                "examples/4_server.cpp": "#include <redlatch/asio.hpp>\n#include <boost/asio/post.hpp>\n",
            },
            {
                "src/resp/reader.cpp": "#include <hiredis/read.h>\n#include <hiredis/sds.h>\n",
                "src/api/yaml_config.hpp": "#include <yaml-cpp/yaml.h>\n",
                "src/io/tls/openssl_client.hpp": "#include <openssl/ssl.h>\n",
                "examples/fencing/redis.cpp": "#include <hiredis/hiredis.h>\n",
            },
        ],
    ),
    layers.public_headers_stand_alone: (
        [
            {"include/redlatch/a.hpp": "// A.\n#include <boost/optional.hpp>\n"},
            {"include/redlatch/a.hpp": '// A.\n#include "resp/value.hpp"\n'},
            {"include/redlatch/a.hpp": "// A.\n#include <redlatch/missing.hpp>\n"},
            {"include/redlatch/a.hpp": "#include <string>\n"},
        ],
        [
            {
                "include/redlatch/a.hpp": "// A.\n#include <string>\n#include <redlatch/b.hpp>\n",
                "include/redlatch/b.hpp": "// B.\n",
            }
        ],
    ),
    layers.users_use_the_public_face: (
        [
            {"cli/main.cpp": '#include "locking/tenure.hpp"\n', "src/locking/tenure.hpp": ""},
            {"examples/a.cpp": "#include <redlatch/detail/lane.hpp>\n"},
            {"bench/a.cpp": '#include "../src/io/lane.hpp"\n', "src/io/lane.hpp": ""},
            {"bench/scenarios/a.cpp": '#include "support/redis_server.hpp"\n'},
            {"cli/a.cpp": '#include "support/redis_server.hpp"\n'},
        ],
        [
            {
                "cli/commands/run.cpp": '#include "args.hpp"\n#include "commands/run.hpp"\n#include <redlatch/client.hpp>\n',
                "cli/args.hpp": "",
                "cli/commands/run.hpp": "",
                "include/redlatch/client.hpp": "",
            }
        ],
    ),
    layers.scripts_live_in_lua: (
        [
            {"src/locking/a.cpp": 'auto text = "return redis.call(\'get\', KEYS[1])";\n'},
            {"examples/a.cpp": 'auto text = "return redis.call(\'get\', KEYS[1])";\n'},
        ],
        [
            {
                "lua/a.lua": "return redis.call('get', KEYS[1])\n",
                "examples/fencing/redis.cpp": 'auto text = "return redis.call(\'get\', KEYS[1])";\n',
            }
        ],
    ),
    habits.lines_fit: (
        [{"src/a.cpp": "x" * 129 + "\n"}, {"dev": "echo \n"}],
        [{"src/a.cpp": "x" * 128 + "\n", "README.md": "x" * 300}],
    ),
    habits.nothing_is_left_for_another_day: (
        [{"src/a.cpp": f"// {LEFTOVER}: more\n"}, {"docs/a.md": f"{LEFTOVER}\n"}],
        [{"src/a.cpp": "// all is done\n"}],
    ),
    habits.no_path_of_a_machine: (
        [{"docs/a.md": "see /home" + "/me/notes\n"}, {"dev": 'cd "/root' + '/src"\n'}],
        [{"docs/a.md": "see https://example.org/home/page and docs/home/a.md\n"}],
    ),
    habits.files_stay_small: (
        [{"src/io/a.cpp": "int i;\n" * 501}],
        [{"src/io/a.cpp": "int i;\n" * 500, "src/io/b.cpp": "// Long because it is a table.\n" + "int i;\n" * 600}],
    ),
    habits.headers_are_proper: (
        [{"src/a.hpp": "int i;\n"}, {"src/a.hpp": "#pragma once\nusing namespace std;\n"}],
        [{"src/a.hpp": "#pragma once\n// using namespace std;\n", "src/a.cpp": "using namespace std;\n"}],
    ),
    habits.switches_are_exhaustive: (
        [{"src/io/a.cpp": "switch (state) {\ndefault: break;\n}\n"}],
        [{"src/io/a.cpp": "switch (letter) {\ndefault: break; // letters are no enumeration\n}\nlock() = default;\n"}],
    ),
    habits.parameters_are_nouns: (
        [
            {"src/io/a.cpp": "void f(tenure const& of);\n"},
            {"cli/a.cpp": "int f(int a, // the first\n      std::map<int, int> const& which = {}) {}\n"},
            {"include/redlatch/a.hpp": "template <class... T> explicit a(T&&... what) noexcept;\n"},
            {"src/io/a.cpp": "f([a, b = g(c)](auto& who) { return who; }, d);\n"},
            {"src/io/a.hpp": "using on_end = function_ref<void(std::size_t which, errc)>;\n"},
            {"src/io/a.cpp": "for (auto const one : g([](errc why) { return why; })) {}\n"},
            {"src/io/a.cpp": "void f(canceller const how [[maybe_unused]]) { a < b; }\n"},
        ],
        [
            {
                "src/io/a.cpp": 'void f(tenure const& tenure, char const* text = "int what"); // (errc why)\n'
                "auto const of = g(what, how * that, a & which, a && its, a < b, c > who);\n"
                "for (auto const& where : all) if (auto const why = h(); errc when = why) throw error(why);\n"
                "try { k([whom = std::move(done)] { int it = 0; return it; }, new what); } catch (error const& why) {}\n",
                "src/io/a.hpp": "struct a {\n    int which = 0;\n    std::function<void(int)> how;\n    int what(int);\n};\n",
                "cli/a.cpp": "return (what);\nint whatever(int of_all, int somehow);\n",
                TEST: "void f(int what);\n",
            }
        ],
    ),
    habits.names_from_elsewhere_are_used: (
        [
            {"src/io/a.cpp": "using locking::lock_table;\nint lock_tables; // lock_table\n"},
            {"cli/a.cpp": "namespace shown = output::shown;\n"},
        ],
        [
            {"src/io/a.cpp": "using locking::lock_table;\nlock_table made;\n"},
            {"cli/a.cpp": "namespace shown = output;\nint width = shown::width;\nusing enum colour;\n"},
            {"tests/a.cpp": "using locking::lock_table;\n"},
        ],
    ),
    habits.nothing_is_dead: (
        [
            {"src/io/a.hpp": ""},
            {"lua/a.lua": "return 1\n", "src/locking/script.hpp": "script a;", "src/b.cpp": '#include "locking/script.hpp"'},
        ],
        [
            {"src/io/a.hpp": "", "src/io/a.cpp": '#include "io/a.hpp"\n', "include/redlatch/redlatch.hpp": ""},
            {"cli/commands/a.hpp": "", "cli/main.cpp": '#include "commands/a.hpp"\n'},
            {"lua/a.lua": "", "src/b.cpp": "script a; use(scripts::a);"},
        ],
    ),
    habits.tests_do_not_sleep: (
        [
            {TEST: "std::this_thread::sleep_for(1s);\n"},
            {TEST: "// a pause\n\nusleep(10);\n"},
            {"tests/interop/A.java": "Thread.sleep(10);\n"},
        ],
        [{TEST: "// sleeps because the lease itself is the subject\nstd::this_thread::sleep_for(1s);\nf(); // no sleep()\n"}],
    ),
    habits.tests_are_honest: (
        [
            {TEST: "TEST(lock, DISABLED_works) {}\n"},
            {TEST: "EXPECT_TRUE(true);\n"},
            {TEST: "GTEST_SKIP();\n"},
        ],
        [{TEST: 'TEST(lock, works) { GTEST_SKIP() << "no Java"; }\n'}],
    ),
    habits.links_lead_somewhere: (
        [{"README.md": "see [there](docs/there.md)\n"}],
        [
            {
                "docs/a.md": "[b](b.md#part) [up](../README.md) [adr](adr/) [web](https://example.org)\n",
                "docs/b.md": "",
                "docs/adr/1.md": "",
                "README.md": "",
            }
        ],
    ),
    habits.citations_lead_somewhere: (
        [
            {"src/a.hpp": f"// {SECTION} 1.\n"},
            {"src/a.hpp": f"// {SECTION} 2.\n", "docs/protocol.md": PAGE},
            {"lua/a.lua": f"-- {SECTION} 0.1.1\n", "docs/protocol.md": PAGE},
            {"lua/a.lua": f"-- {SECTION}s 0.1, 0 and 1.1\n", "docs/protocol.md": PAGE},
            {"src/a.hpp": f"// {SECTION}s 0 to 3\n", "docs/protocol.md": PAGE},
            {"src/a.hpp": f"/// as in {SECTION[:8]}\n/// section 7\n", "docs/protocol.md": PAGE},
            {"docs/protocol.md": PAGE + "See section 1.2.\n"},
            {"docs/a.md": f"{DECISION} 2\n", "docs/adr/0001-a.md": ""},
            {"src/a.hpp": f"// docs/{DECISION}/0002\n", "docs/adr/0001-a.md": ""},
            {"src/a.hpp": f"// docs/{DECISION}/0001, 0010\n", "docs/adr/0001-a.md": ""},
        ],
        [
            {
                "lua/a.lua": f"-- {SECTION}s 0.1, 0 and 1; {SECTION} 1: that's it\n",
                "src/a.hpp": f"// {DECISION.upper()} 1, 2 of them; docs/{DECISION}/0001\n// {SECTION}\n// 0.1. 8 are left\n",
                "docs/protocol.md": PAGE + "See section 0.1.\n",
                "docs/adr/0001-a.md": "",
            }
        ],
    ),
    habits.names_on_pages_exist: (
        [
            {"docs/a.md": "`a::gone()`\n", "src/io/a.hpp": "class a {\n    void there(); // once: gone\n};\n"},
            {"docs/a.md": "`a::b`, `b::gone`\n", "include/redlatch/a.hpp": "namespace a {\nenum class b { there };\n}\n"},
            {"tests/model/README.md": "`a::gone`\n", "src/io/a.hpp": "struct a : b {};\n", "src/io/b.hpp": "class b {};\n"},
            {"docs/a.md": "`a::go…`\n", "src/io/a.hpp": "struct a {};\n", "src/io/b.hpp": "struct b { int gone; };\n"},
        ],
        [
            {
                "docs/a.md": "`x::y::a::b`, `std::lock`, `a::dee…`, `a::base_name`, `own<int>::size`; java::lang\n",
                "docs/adr/0001-a.md": "`a::gone`\n",
                "README.md": "`a::gone`\n",
                "src/io/a.hpp": "namespace x::y {\nclass EXPORT a final : public base<int> { b deeper(); };\n}\n",
                "src/io/b.hpp": "template <class T> struct base { int base_name; };\n",
                "src/io/c.hpp": "template <> struct own<int> { int size; };\n",
            }
        ],
    ),
    habits.tests_of_defects_exist: (
        [
            {"docs/redisson_defects.md": "| `lock.is_gone` |\n", TEST: "TEST(lock, is_there) {}\n"},
            {"docs/redisson_defects.md": "| `lock.is_there` |\n", TEST: "// TEST_F(other, is_there)\n"},
            {"docs/redisson_defects.md": "| `lock.is_there` |\n", TEST: "// TEST_F(lock, is_there)\n"},
            {"docs/redisson_tests.md": "| testIt | `lock.is_gone` | |\n", TEST: "TEST_P(lock, is_there) {}\n"},
            {"docs/redisson_tests.md": "| testIt | `lock.is_there`, `…too` | |\n", TEST: "TEST_P(lock, is_there) {}\n"},
            {"docs/redisson_tests.md": "| testIt | `lock.is_th…` | |\n", TEST: "TEST_P(lock, is_there) {}\n"},
        ],
        [
            {
                "docs/redisson_defects.md": "| `PTTL` | `a.b_c` and `lock.is_there` |\n",
                "docs/redisson_tests.md": "Those named `a.b_…`:\n| RedissonIt.testIt | `a.b_c` | |\n",
                "docs/other.md": "`lock.is_gone`\n",
                TEST: "TEST_F(lock, is_there) {}\nTEST_P(a,\n       b_c) {}\n",
            }
        ],
    ),
    habits.each_test_of_redisson_is_answered: (
        [
            {"docs/redisson_tests.md": "| testIt | | |\n"},
            {"docs/redisson_tests.md": "| testIt | `lock_test` | |\n"},
            {"docs/redisson_tests.md": "| testIt | `lock.is_there` |\n"},
        ],
        [
            {
                "docs/redisson_tests.md": "| theirs | here | or why not |\n|---|---|---|\n"
                "| testIt | `lock.is_there` | |\n| testThat | | no cluster |\n",
                "docs/redisson_defects.md": "| a defect | | |\n",
            }
        ],
    ),
    habits.readme_shows_what_is_tested: (
        [{"README.md": "```cpp\nint main() {}\n```\n", "examples/1.cpp": "int main() { work(); }\n"}],
        [{"README.md": "```cpp\nint main() {}\n```\n```sh\nls\n```\n", "examples/1.cpp": "int main() {}\n"}],
    ),
    habits.kinds_are_played_and_measured: (
        [
            *({**PLAYED, RED: "", without: ""} for without in PLAYED),
            {**PLAYED, "include/redlatch/leader_election.hpp": ""},
            {**PLAYED, RECIPES: "extern recipe const fair_recipe;\n"},
            {**PLAYED, RECIPES: "extern recipe const read_recipe;\n", "bench/scenarios/kinds.cpp": 'own("read", half)\n'},
        ],
        [
            {
                **PLAYED,
                RED: "",
                "include/redlatch/basic_lock.hpp": "",
                "include/redlatch/count_down_latch.hpp": "",
                RECIPES: "extern recipe const read_recipe;\nextern recipe const write_recipe;\n",
            }
        ],
    ),
}


class EachRule(unittest.TestCase):
    def test_has_cases(self):
        self.assertEqual(set(tidy.RULES), set(CASES))

    def test_rejects_what_is_bad(self):
        for rule, (bad, _) in CASES.items():
            for number, files in enumerate(bad):
                with self.subTest(rule=rule.__name__, case=number):
                    self.assertTrue(list(rule(Tree(files))), "the rule has found nothing")

    def test_accepts_what_is_good(self):
        for rule, (_, good) in CASES.items():
            for number, files in enumerate(good):
                with self.subTest(rule=rule.__name__, case=number):
                    self.assertEqual([str(finding) for finding in rule(Tree(files))], [])


class CommentsAndLiterals(unittest.TestCase):
    def test_are_blanked_and_lines_keep_their_numbers(self):
        text = "a /* one\ntwo */ b // c\nd \"e // f\" g '\"' 1'000 R\"(h \" i\n)\" j\n"
        bare = without_comments_and_literals(text)
        self.assertEqual(bare.count("\n"), text.count("\n"))
        for gone in ("one", "two", "c", "e", "f", "h", "i"):
            self.assertNotIn(gone, bare)
        for kept in ("a", "b", "d", "g", "1'000", "j"):
            self.assertIn(kept, bare)


if __name__ == "__main__":
    unittest.main()
