// The commands, by the file that has them.
#pragma once

namespace redlatch::sim {
struct call;
}

namespace redlatch::sim::commands {

// commands_connection.cpp
void auth(call& one);
void client_getname(call& one);
void client_setname(call& one);
void echo(call& one);
void hello(call& one);
void ping(call& one);
void quit(call& one);
void reset(call& one);
void select(call& one);

// commands_client.cpp
void client_id(call& one);
void client_info(call& one);
void client_kill(call& one);
void client_list(call& one);

// commands_cluster.cpp
void asking(call& one);
void cluster_myid(call& one);
void cluster_nodes(call& one);
void pubsub_shardnumsub(call& one);
void spublish(call& one);
void ssubscribe(call& one);
void sunsubscribe(call& one);

// commands_replication.cpp
void role(call& one);
void wait(call& one);

// commands_sentinel.cpp
void sentinel_address(call& one);
void sentinel_master(call& one);
void sentinel_sentinels(call& one);

// commands_server.cpp
void dbsize(call& one);
void flushall(call& one);
void flushdb(call& one);
void info(call& one);
void time(call& one);

// commands_keys.cpp
void del(call& one);
void exists(call& one);
void keys(call& one);
void scan(call& one);
void type(call& one);

// commands_expiry.cpp
void expire(call& one);
void persist(call& one);
void pexpire(call& one);
void pexpireat(call& one);
void pexpiretime(call& one);
void pttl(call& one);
void ttl(call& one);

// commands_restore.cpp
void restore(call& one);

// commands_strings.cpp
void decr(call& one);
void decrby(call& one);
void get(call& one);
void incr(call& one);
void incrby(call& one);
void set(call& one);

// commands_hashes.cpp
void hdel(call& one);
void hexists(call& one);
void hget(call& one);
void hgetall(call& one);
void hincrby(call& one);
void hkeys(call& one);
void hscan(call& one);
void hlen(call& one);
void hset(call& one);
void hsetnx(call& one);
void hvals(call& one);

// commands_lists.cpp
void lindex(call& one);
void llen(call& one);
void lpop(call& one);
void lpos(call& one);
void lrange(call& one);
void lrem(call& one);
void rpush(call& one);

// commands_sorted_sets.cpp
void zadd(call& one);
void zcard(call& one);
void zcount(call& one);
void zincrby(call& one);
void zrange(call& one);
void zrangebyscore(call& one);
void zrem(call& one);
void zscore(call& one);

// commands_pubsub.cpp
void psubscribe(call& one);
void publish(call& one);
void pubsub_numsub(call& one);
void punsubscribe(call& one);
void subscribe(call& one);
void unsubscribe(call& one);

// commands_scripts.cpp
void eval(call& one);
void evalsha(call& one);
void script_exists(call& one);
void script_flush(call& one);
void script_kill(call& one);
void script_load(call& one);

} // namespace redlatch::sim::commands
