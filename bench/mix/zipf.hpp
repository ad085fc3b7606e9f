// Which lock next: the k-th most popular one is chosen in proportion to 1 / k^exponent.
#pragma once

#include <cstddef>
#include <vector>

namespace redlatch::bench {

class zipf {
public:
    zipf(std::size_t count, double exponent);

    /// For a number drawn evenly from [0, 1): the place of the lock, the most popular is 0.
    std::size_t at(double drawn) const;

private:
    std::vector<double> up_to_; ///< the share of this lock and of those before it
};

} // namespace redlatch::bench
