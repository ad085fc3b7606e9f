// A server whose SCAN does what the test wants, such as never coming to an end.
#pragma once

#include "resp/reader.hpp"
#include "support/fake_server.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::test {

/// Greets, and has three keys by its own word.
struct endless_server {
    /// `scan`: the answer to the n-th SCAN, from 1.
    explicit endless_server(std::function<std::string(std::size_t)> scan)
        : server([scan = std::move(scan)](fake_connection& with) { serve(with, scan); }) {}

    static std::string bulk(std::string const& text) {
        return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
    }

    /// Such an answer.
    static std::string page(std::string const& cursor, std::vector<std::string> const& names) {
        auto text = "*2\r\n" + bulk(cursor) + "*" + std::to_string(names.size()) + "\r\n";
        for (auto const& one : names) text += bulk(one);
        return text;
    }

    static void serve(fake_connection& with, std::function<std::string(std::size_t)> const& scan) {
        resp::reader commands;
        std::size_t pages = 0;
        for (auto bytes = with.read(); !bytes.empty(); bytes = with.read()) {
            commands.feed(bytes);
            std::string answers;
            for (resp::value each; commands.next(each) == resp::reader::result::value;) {
                auto const& command = each.items.at(0).text;
                if (command == "SCAN")
                    answers += scan(++pages);
                else if (command == "CLIENT" && each.items.at(1).text == "INFO")
                    answers += bulk("id=7 addr=x:1 a=b");
                else if (command == "INFO")
                    answers += bulk("run_id:abc\r\n");
                else if (command == "DBSIZE")
                    answers += ":3\r\n";
                else if (command == "HSCAN")
                    answers += page("0", {});
                else
                    answers += command == "CLIENT" ? "+OK\r\n" : command == "PTTL" ? ":-2\r\n" : ":0\r\n";
            }
            if (!with.write(answers)) return;
        }
    }
    fake_server server;
};

} // namespace redlatch::test
