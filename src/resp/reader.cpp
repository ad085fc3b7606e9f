// The tree of a reply is built straight from the parser's callbacks: hiredis only finds the pieces. Its own reply
// objects are not used, because they would be copied, and because they trust the announced lengths.
//
// Three things are checked here because not every supported hiredis (0.14.1 to 1.x) does: a bulk string ends with CRLF,
// a line has a bounded length, and arrays have a bounded depth.
#include "resp/reader.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <hiredis/read.h>
#include <limits>
#include <new>
#include <utility>

namespace redlatch::resp {
namespace {

// hiredis moves the unread rest of its buffer to the front after every 1024 bytes. Small portions keep that cheap.
constexpr std::size_t portion = std::size_t{16} << 10;
// Redis sends statuses, errors and lengths as lines. Its longest errors are some hundred bytes.
constexpr std::size_t longest_line = std::size_t{64} << 10;
// What hiredis 0.14 can do. Nothing we call answers with more than three levels.
constexpr int deepest_array = 7;
// The announced size of an array may be a lie: memory is taken as the items arrive.
constexpr std::size_t items_reserved = 16;
constexpr std::size_t problem_reserved = 256;

constexpr std::string_view other_type = "the reply is of a type that was not asked for (RESP3)";
constexpr std::string_view no_memory = "there is not enough memory for the reply";

// A number as text, without taking memory.
class decimal {
public:
    explicit decimal(std::size_t number) : end_(std::to_chars(text_, text_ + sizeof text_, number).ptr) {}
    operator std::string_view() const noexcept { return {text_, end_}; }

private:
    char text_[std::numeric_limits<std::size_t>::digits10 + 1];
    char* end_;
};

struct free_reader {
    void operator()(redisReader* raw) const noexcept { redisReaderFree(raw); }
};

} // namespace

struct reader::parser {
    explicit parser(limits const& given) : bounds_(given) {
        static redisReplyObjectFunctions functions = object_functions();
        raw_.reset(redisReaderCreateWithFunctions(&functions));
        if (raw_ == nullptr) throw std::bad_alloc();
        raw_->privdata = this; // the macro redisReaderSetPrivdata is not C++
        problem_.reserve(problem_reserved);
    }
    parser(parser const&) = delete;
    parser& operator=(parser const&) = delete;

    void feed(std::string_view bytes);
    result next(value& out);

private:
    friend class reader;

    // Callbacks of hiredis. A null result stops it; an exception must not pass through C code.
    static redisReplyObjectFunctions object_functions();
    template <typename Fill> static void* create(redisReadTask const* task, Fill fill) noexcept;
    static void* create_string(redisReadTask const* task, char* text, std::size_t length) noexcept;
    template <typename Count> static void* create_array(redisReadTask const* task, Count count) noexcept;
    static void* create_integer(redisReadTask const* task, long long number) noexcept;
    static void* create_nil(redisReadTask const* task) noexcept;
    static void* refuse_double(redisReadTask const* task, double number, char* text, std::size_t length) noexcept;
    static void* refuse_bool(redisReadTask const* task, int truth) noexcept;

    value* place_for(redisReadTask const* task);
    // The first refusal stands. Always false, so that callbacks can return it; takes no memory.
    template <typename... Parts> bool refuse(Parts const&... parts) noexcept;
    bool refuse_large() noexcept;
    void push_portion();
    void check_incomplete();

    std::size_t unread() const noexcept { return raw_->len - raw_->pos; }

    limits bounds_;
    std::unique_ptr<redisReader, free_reader> raw_;
    std::string pending_;            ///< fed to us, not yet handed to hiredis
    std::size_t pending_taken_ = 0;  ///< how much of `pending_` has been handed over
    std::size_t bytes_of_reply_ = 0; ///< handed over since the start of the present reply
    std::size_t items_of_reply_ = 0;
    value root_{};
    bool broken_ = false;
    std::string problem_{};
};

// ---- callbacks ------------------------------------------------------------------------------------------------------

template <typename Functions> void refuse_resp3(Functions& functions, auto refuse_double, auto refuse_bool) {
    if constexpr (requires { functions.createDouble; }) {
        functions.createDouble = refuse_double;
        functions.createBool = refuse_bool;
    }
}

redisReplyObjectFunctions reader::parser::object_functions() {
    redisReplyObjectFunctions functions{};
    functions.createString = create_string;
    functions.createArray = create_array; // the count is an int in hiredis 0.14, a size_t later
    functions.createInteger = create_integer;
    functions.createNil = create_nil;
    functions.freeObject = [](void*) {}; // the tree belongs to the parser
    refuse_resp3(functions, &refuse_double, &refuse_bool);
    return functions;
}

template <typename Fill> void* reader::parser::create(redisReadTask const* task, Fill fill) noexcept {
    auto& self = *static_cast<parser*>(task->privdata);
    try {
        value* place = self.place_for(task);
        return fill(self, *place) ? place : nullptr;
    } catch (std::exception const&) {
        self.refuse(no_memory);
        return nullptr;
    }
}

void* reader::parser::create_string(redisReadTask const* task, char* text, std::size_t length) noexcept {
    return create(task, [&](parser& self, value& place) {
        switch (task->type) {
        case REDIS_REPLY_STATUS: place.type = value::kind::status; break;
        case REDIS_REPLY_ERROR: place.type = value::kind::error; break;
        case REDIS_REPLY_STRING: place.type = value::kind::string; break;
        default: return self.refuse(other_type); // the types are numbers of hiredis, and newer versions know more
        }
        bool is_line = task->type != REDIS_REPLY_STRING;
        if (is_line && length > longest_line) return self.refuse("a line of the reply does not end");
        if (is_line && std::string_view(text, length).find_first_of("\r\n") != std::string_view::npos) {
            return self.refuse("a line of the reply holds half of a line end");
        }
        if (!is_line && std::string_view(text + length, 2) != "\r\n") {
            return self.refuse("a string of the reply does not end where its announced length says");
        }
        place.text.assign(text, length);
        return true;
    });
}

template <typename Count> void* reader::parser::create_array(redisReadTask const* task, Count count) noexcept {
    return create(task, [&](parser& self, value& place) {
        if (task->type != REDIS_REPLY_ARRAY) {
            return self.refuse(other_type);
        }
        int depth = 1;
        for (auto const* outer = task->parent; outer != nullptr; outer = outer->parent) ++depth;
        if (depth > deepest_array) return self.refuse("the reply has arrays within arrays, too many levels of them");

        auto const announced = static_cast<std::size_t>(count);
        if (announced > self.bounds_.items_per_reply - self.items_of_reply_) {
            return self.refuse("the reply has more than ", decimal(self.bounds_.items_per_reply), " items");
        }
        self.items_of_reply_ += announced;
        place.type = value::kind::array;
        place.items.reserve(std::min(announced, items_reserved));
        return true;
    });
}

void* reader::parser::create_integer(redisReadTask const* task, long long number) noexcept {
    return create(task, [&](parser&, value& place) {
        place.type = value::kind::integer;
        place.integer = number;
        return true;
    });
}

void* reader::parser::create_nil(redisReadTask const* task) noexcept {
    return create(task, [&](parser& self, value& place) {
        // RESP2 has a null string and a null array; a null of its own is RESP3.
        if (task->type == REDIS_REPLY_NIL) {
            return self.refuse(other_type);
        }
        place.type = value::kind::nil;
        return true;
    });
}

void* reader::parser::refuse_double(redisReadTask const* task, double, char*, std::size_t) noexcept {
    static_cast<parser*>(task->privdata)->refuse(other_type);
    return nullptr;
}

void* reader::parser::refuse_bool(redisReadTask const* task, int) noexcept {
    static_cast<parser*>(task->privdata)->refuse(other_type);
    return nullptr;
}

// An array that is being filled does not move: its siblings come when it is complete.
value* reader::parser::place_for(redisReadTask const* task) {
    if (task->parent == nullptr) return &root_;
    return &static_cast<value*>(task->parent->obj)->items.emplace_back();
}

// ---- feeding and limits ---------------------------------------------------------------------------------------------

template <typename... Parts> bool reader::parser::refuse(Parts const&... parts) noexcept {
    if (broken_) return false;
    broken_ = true;
    auto const append = [this](std::string_view part) {
        problem_.append(part.substr(0, problem_.capacity() - problem_.size()));
    };
    (append(parts), ...);
    return false;
}

bool reader::parser::refuse_large() noexcept {
    return refuse("the reply is larger than ", decimal(bounds_.bytes_per_reply), " bytes");
}

void reader::parser::feed(std::string_view bytes) {
    if (broken_) return;
    if (pending_.empty() && unread() == 0 && bytes.size() <= portion) { // the usual case: no copy of our own
        if (redisReaderFeed(raw_.get(), bytes.data(), bytes.size()) != REDIS_OK) {
            refuse(no_memory);
        }
        bytes_of_reply_ += bytes.size();
        return;
    }
    if (pending_taken_ > pending_.size() / 2) {
        pending_.erase(0, pending_taken_);
        pending_taken_ = 0;
    }
    try {
        pending_.append(bytes);
    } catch (std::exception const&) {
        refuse(no_memory);
    }
}

void reader::parser::push_portion() {
    auto const bytes = std::string_view(pending_).substr(pending_taken_, portion);
    if (redisReaderFeed(raw_.get(), bytes.data(), bytes.size()) != REDIS_OK) {
        refuse(no_memory);
    }
    bytes_of_reply_ += bytes.size();
    pending_taken_ += bytes.size();
    if (pending_taken_ == pending_.size()) {
        pending_taken_ = 0;
        if (pending_.capacity() > 4 * portion)
            pending_ = std::string();
        else
            pending_.clear();
    }
}

// The unread rest of an incomplete reply is the start of a line, or the length of a string and the start of its bytes.
void reader::parser::check_incomplete() {
    if (bytes_of_reply_ > bounds_.bytes_per_reply) {
        refuse_large();
        return;
    }
    auto const rest = std::string_view(raw_->buf + raw_->pos, unread());
    auto const head = rest.substr(0, 32);
    if (auto const end = head.find("\r\n"); end != std::string_view::npos) {
        std::size_t announced = 0;
        auto const [last, error] = std::from_chars(head.data(), head.data() + end, announced);
        if (error != std::errc() || announced > bounds_.bytes_per_reply) refuse_large();
    } else if (rest.size() > longest_line + 1) { // the last byte may be half of the CRLF
        refuse("a line of the reply does not end");
    }
}

reader::result reader::parser::next(value& out) {
    while (!broken_) {
        void* complete = nullptr;
        if (redisReaderGetReply(raw_.get(), &complete) != REDIS_OK) {
            refuse("the server does not speak the Redis protocol (", raw_->errstr, ")");
            break;
        }
        if (complete != nullptr) {
            if (bytes_of_reply_ - unread() > bounds_.bytes_per_reply) {
                refuse_large();
                break;
            }
            bytes_of_reply_ = unread();
            items_of_reply_ = 0;
            out = std::exchange(root_, value{});
            return result::value;
        }
        check_incomplete();
        if (broken_) break;
        if (pending_.empty()) return result::need_more;
        push_portion();
    }
    root_ = value{};
    pending_ = std::string();
    return result::broken;
}

// ---- the face -------------------------------------------------------------------------------------------------------

reader::reader(limits const& bounds) : parser_(std::make_unique<parser>(bounds)) {}
reader::~reader() = default;
reader::reader(reader&&) noexcept = default;
reader& reader::operator=(reader&&) noexcept = default;

void reader::feed(std::string_view bytes) {
    parser_->feed(bytes);
}

reader::result reader::next(value& out) {
    return parser_->next(out);
}

std::string const& reader::problem() const noexcept {
    return parser_->problem_;
}

} // namespace redlatch::resp
