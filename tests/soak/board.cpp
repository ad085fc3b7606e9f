#include "board.hpp"

#include "support/descriptor.hpp"
#include "support/wait_until.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace redlatch::soak {

std::string judged_name(std::size_t lock) {
    return "judged-" + std::to_string(lock);
}

std::string abused_name(std::size_t lock) {
    return "abused-" + std::to_string(lock);
}

bool presence::all_were_turned_away(std::uint64_t last) const {
    if (last - mine_ >= cell_->turned_away.size()) return false;
    return test::wait_until(
        [&] {
            for (auto each = mine_ + 1; each <= last; ++each)
                if (cell_->turned_away[each % cell_->turned_away.size()] != each) return false;
            return true;
        },
        std::chrono::seconds(1));
}

mapped_board::mapped_board(std::string const& file) {
    test::descriptor const opened{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (!opened || ::ftruncate(opened.get(), sizeof(board)) != 0)
        throw std::system_error(errno, std::generic_category(), file);
    void* const place = ::mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED, opened.get(), 0);
    if (place == MAP_FAILED) throw std::system_error(errno, std::generic_category(), file);
    board_ = static_cast<board*>(place);
}

mapped_board::~mapped_board() {
    ::munmap(board_, sizeof(board));
}

} // namespace redlatch::soak
