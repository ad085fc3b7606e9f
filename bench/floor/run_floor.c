/* What `redlatch run NAME -- COMMAND` cannot beat: connect, acquire, spawn, wait, release, and nothing else.
   redlatch_run_floor PORT|/SOCKET NAME COMMAND ARGUMENT... */
#include <floor_scripts.h>
#include <hiredis/hiredis.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>

extern char** environ;

/* EVALSHA, and EVAL where the server does not know the script. The reply's type; -1: failed. */
static int evaluate(redisContext* context, char const* sha1, char const* text, int count, char const** rest) {
    char const* arguments[8] = {"EVALSHA", sha1};
    memcpy(arguments + 2, rest, (size_t)count * sizeof *rest);
    for (int attempt = 0; attempt < 2; ++attempt) {
        redisReply* reply = redisCommandArgv(context, count + 2, arguments, NULL);
        if (reply == NULL) return -1;
        int type = reply->type;
        int unknown = type == REDIS_REPLY_ERROR && strncmp(reply->str, "NOSCRIPT", 8) == 0;
        freeReplyObject(reply);
        if (!unknown) return type == REDIS_REPLY_ERROR ? -1 : type;
        arguments[0] = "EVAL";
        arguments[1] = text;
    }
    return -1;
}

int main(int argc, char** argv) {
    if (argc < 4) return 64;
    redisContext* context = argv[1][0] == '/' ? redisConnectUnix(argv[1]) : redisConnect("127.0.0.1", atoi(argv[1]));
    if (context == NULL || context->err != 0) return 69;

    unsigned long long chance[2];
    if (getrandom(chance, sizeof chance, 0) != (ssize_t)sizeof chance) return 70;
    char owner[64];
    char channel[512];
    snprintf(owner, sizeof owner, "%016llx%016llx:1", chance[0], chance[1]);
    snprintf(channel, sizeof channel, "redisson_lock__channel:{%s}", argv[2]);

    char const* acquire[] = {"1", argv[2], "30000", owner};
    int answer = evaluate(context, lock_acquire_sha1, lock_acquire_text, 4, acquire);
    if (answer != REDIS_REPLY_NIL) return answer == -1 ? 69 : 75;

    pid_t child;
    int status = 0;
    int failed = posix_spawnp(&child, argv[3], NULL, NULL, argv + 3, environ);
    if (failed == 0) waitpid(child, &status, 0);

    char const* release[] = {"1", argv[2], owner, "PUBLISH", channel};
    evaluate(context, lock_release_sha1, lock_release_text, 5, release);
    redisFree(context);
    if (failed != 0) return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
