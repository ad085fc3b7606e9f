// Part of redlatch/asio.hpp: which signature a token gets, and what its handler is called with.
#pragma once

#include <redlatch/completion.hpp>
#include <redlatch/detail/asio_completion.hpp>
#include <redlatch/detail/handler_owner.hpp>
#include <redlatch/error.hpp>
#include <redlatch/hold.hpp>
#include <redlatch/options.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/error_code.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace redlatch::detail {

/// Tokens whose users catch exceptions.
template <class Token> struct token_throws : std::false_type {};
template <class Executor> struct token_throws<boost::asio::use_awaitable_t<Executor>> : std::true_type {};
template <class Allocator> struct token_throws<boost::asio::use_future_t<Allocator>> : std::true_type {};
template <class Token, class Executor>
struct token_throws<boost::asio::executor_binder<Token, Executor>> : token_throws<Token> {};
template <class Token, class Allocator>
struct token_throws<boost::asio::allocator_binder<Token, Allocator>> : token_throws<Token> {};
template <class Token, class Slot>
struct token_throws<boost::asio::cancellation_slot_binder<Token, Slot>> : token_throws<Token> {};

/// Success is Asio's own, so that it equals a default one.
inline boost::system::error_code as_code(outcome const& outcome) {
    return outcome.failed() ? boost::system::error_code(outcome.code()) : boost::system::error_code();
}

inline std::exception_ptr as_exception(outcome const& outcome) {
    return std::make_exception_ptr(error(static_cast<errc>(outcome.code().value()), outcome.message()));
}

/// What is asked for, and an error beside it.
struct plain_result {
    template <class... Values> using signature = void(boost::system::error_code, Values...);
    template <class... Values> using throwing_signature = void(std::exception_ptr, Values...);

    struct codes {
        template <class... Values>
        static std::tuple<boost::system::error_code, Values...> arguments(outcome const& outcome, Values... values) {
            return {as_code(outcome), std::move(values)...};
        }
    };
    struct exceptions {
        template <class... Values>
        static std::tuple<std::exception_ptr, Values...> arguments(outcome const& outcome, Values... values) {
            return {outcome.failed() ? as_exception(outcome) : nullptr, std::move(values)...};
        }
    };
};

/// Perhaps a hold, or permits: that there is none for somebody else has it is an answer and no error.
struct tried_result {
    template <class Got> using signature = void(boost::system::error_code, std::optional<Got>);
    template <class Got> using throwing_signature = void(std::exception_ptr, std::optional<Got>);

    template <class Got> static std::optional<Got> if_any(outcome const& outcome, Got got) {
        return outcome.failed() ? std::nullopt : std::optional<Got>(std::move(got));
    }
    struct codes {
        template <class Got>
        static std::tuple<boost::system::error_code, std::optional<Got>> arguments(outcome const& outcome, Got got) {
            return {as_code(outcome), if_any(outcome, std::move(got))};
        }
    };
    struct exceptions {
        template <class Got>
        static std::tuple<std::exception_ptr, std::optional<Got>> arguments(outcome const& outcome, Got got) {
            bool const wrong = outcome.failed() && outcome.code() != errc::busy && outcome.code() != errc::timed_out;
            return {wrong ? as_exception(outcome) : nullptr, if_any(outcome, std::move(got))};
        }
    };
};

/// What Asio keeps until it initiates the operation.
template <class Shape, class Start, class... Values> struct asio_initiation {
    Start start;

    template <class Handler, class Object> void operator()(Handler&& handler, Object object) const {
        using kind = asio_completion<std::decay_t<Handler>, Shape, Values...>;
        kind::initiate(std::forward<Handler>(handler), object.driven_by(),
                       [&](completion_ptr<Values...>& done) { return start(object, done); });
    }
};

/// `start(object, done)` starts the operation on a lock, a hold or a client.
template <class Result, class... Values, class Token, class Start, class Object>
auto asio_start(Token&& token, Start start, Object object) {
    if constexpr (token_throws<std::decay_t<Token>>::value) {
        using initiation = asio_initiation<typename Result::exceptions, Start, Values...>;
        return boost::asio::async_initiate<Token, typename Result::template throwing_signature<Values...>>(
            initiation{std::move(start)}, token, std::move(object));
    } else {
        using initiation = asio_initiation<typename Result::codes, Start, Values...>;
        return boost::asio::async_initiate<Token, typename Result::template signature<Values...>>(
            initiation{std::move(start)}, token, std::move(object));
    }
}

} // namespace redlatch::detail
