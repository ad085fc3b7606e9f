#include "sim/server/differential/script_shapes.hpp"

namespace redlatch::sim {
namespace {

namespace scripts = locking::scripts;

constexpr script_shape owner_hash[]{{&scripts::lock_acquire, "k", "lo?cs"},
                                    {&scripts::lock_set_count, "k", "lon"},
                                    {&scripts::lock_release, "k", "opc?mlo"},
                                    {&scripts::lock_renew, "", "l", "k", "o"},
                                    {&scripts::lock_force_release, "k", "pc"}};

constexpr script_shape fenced[]{{&scripts::fenced_acquire, "kt", "lo?cls"},
                                {&scripts::fenced_reenter, "kt", "lon?l"},
                                {&scripts::lock_release, "k", "opc?mlo"},
                                {&scripts::election_leader, "kt", "?O"}};

constexpr script_shape fair[]{{&scripts::fair_acquire, "kqz?t", "lodb?l"}, {&scripts::fair_release, "kqz", "Opcd?lo"}};

constexpr script_shape read_write[]{{&scripts::read_acquire, "kh", "loW"},
                                    {&scripts::read_set_count, "kh", "lon"},
                                    {&scripts::read_renew, "", "l", "k", "oh"},
                                    {&scripts::read_write_release, "kh", "xpcm?low"},
                                    {&scripts::read_write_force_release, "kh", "Mpcm"},
                                    {&scripts::write_acquire, "k?t", "lw?l"},
                                    {&scripts::lock_set_count, "k", "lwn"},
                                    {&scripts::lock_renew, "", "l", "k", "w"}};

constexpr script_shape values[]{
    {&scripts::faster_multi_acquire, "g", "loff"},       {&scripts::faster_multi_set_count, "g", "lonff"},
    {&scripts::faster_multi_acquire, "gt", "loEff"},     {&scripts::faster_multi_set_count, "gt", "lonEff"},
    {&scripts::faster_multi_release, "g", "opcEOff"},    {&scripts::faster_multi_renew, "", "l", "g", "o2ff"},
    {&scripts::faster_multi_force_release, "g", "pcff"}, {&scripts::faster_multi_look, "g", "ff"}};

constexpr script_shape counters[]{
    {&scripts::counter_set, "k?r", "apcmL?R"},   {&scripts::counter_remove, "k?r", "pcm?R"},
    {&scripts::semaphore_acquire, "k?r", "a?R"}, {&scripts::semaphore_release, "k?r", "apcb?R"},
    {&scripts::semaphore_drain, "k?r", "?R"},    {&scripts::semaphore_undo, "kr", "apcR"},
    {&scripts::latch_count_down, "k?r", "pc?R"}, {&scripts::counter_mark, "kr", ""}};

constexpr script_shape permits[]{
    {&scripts::permit_set, "ke?r", "pcab?R"},    {&scripts::permit_acquire, "ker", "pcLii"},
    {&scripts::permit_lease, "ke", "pcLii"},     {&scripts::permit_look, "ke", "pc?i"},
    {&scripts::permit_release, "ke?r", "pcRii"}, {&scripts::permit_release, "ke", "pcbi?i"},
    {&scripts::permit_remove, "ke?r", "?R"},     {&scripts::permit_renew, "e", "lii"}};

constexpr script_family families[]{owner_hash, fenced, fair, read_write, values, counters, permits};

} // namespace

std::span<script_family const> script_families() {
    return families;
}

std::string_view why_not_played(locking::script const& which) {
    return &which == &scripts::allowed_commands ? "it asks for rights that simulated users do not have" : "";
}

} // namespace redlatch::sim
