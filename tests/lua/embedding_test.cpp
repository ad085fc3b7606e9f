// What is embedded is what is in lua/, and the server knows it by the same SHA-1.
#include "lua/script_test.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace redlatch::test {
namespace {

class embedding : public script_test {};
REDLATCH_ON_EVERY_SERVER(embedding);

TEST_P(embedding, has_the_sha1_that_the_server_computes) {
    for (auto const* script : all_scripts()) {
        auto const loaded = admin().command("SCRIPT", "LOAD", script->text);
        EXPECT_EQ(loaded.text, script->sha1) << script->name;
    }
}

TEST(embedded_scripts, are_the_files_of_the_lua_folder_byte_by_byte) {
    std::set<std::string> in_folder;
    for (auto const& entry : std::filesystem::directory_iterator(REDLATCH_LUA_FOLDER)) {
        in_folder.insert(entry.path().stem().string());
    }
    std::set<std::string> embedded;
    for (auto const* script : all_scripts()) {
        embedded.insert(std::string(script->name));
        std::ostringstream text;
        text << std::ifstream(std::string(REDLATCH_LUA_FOLDER "/") + std::string(script->name) + ".lua").rdbuf();
        EXPECT_EQ(text.str(), script->text);
    }
    EXPECT_EQ(embedded, in_folder);
}

} // namespace
} // namespace redlatch::test
