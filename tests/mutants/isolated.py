"""Runs a program that may do anything: a mutant that signals the wrong process, fills the disk or never ends.

It gets process numbers and a /tmp of its own (unshare of util-linux), so that kill(-1) reaches nobody else and all that it
started ends with it. Its memory and the size of its files are bounded.
"""
import os
import resource
import signal
import subprocess

NAMESPACES = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--ipc"]
OWN_TMP = ["sh", "-c", 'mount -t tmpfs tmpfs /tmp && exec "$@"', "sh"]
MOST_MEMORY = 6 << 30  # of addresses, where there are few threads; elsewhere it is the first to go when memory is short
LARGEST_FILE = 64 << 20
LATE = "late"


def _namespaces():
    as_user = [] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    return NAMESPACES[:1] + as_user + NAMESPACES[1:]


def is_possible(folder):
    """Also false where the tree lies in /tmp, which would be hidden."""
    if str(folder.resolve()).startswith("/tmp/"):
        return False
    return subprocess.run([*_namespaces(), *OWN_TMP, "true"], capture_output=True, check=False).returncode == 0


def _bound(few_threads):
    if few_threads:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(words, log, seconds, folder, few_threads=False):
    """The exit status, or LATE when it did not end in time. What it says is in the file `log`."""
    with open(log, "wb") as said:
        begun = subprocess.Popen([*_namespaces(), *OWN_TMP, *map(str, words)], cwd=folder, stdin=subprocess.DEVNULL,
                                 stdout=said, stderr=subprocess.STDOUT, start_new_session=True,
                                 preexec_fn=lambda: _bound(few_threads))
        try:
            return begun.wait(seconds)
        except subprocess.TimeoutExpired:
            return LATE
        finally:
            if begun.poll() is None:
                os.killpg(begun.pid, signal.SIGKILL)
                begun.wait()
