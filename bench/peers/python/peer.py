"""redis-py's lock as a peer of the benchmark: the protocol of bench/peers/README.md."""

import json
import sys
import threading
import time

import redis

LEASE = 30  # seconds


def connect(address):
    host, port = address.rsplit(":", 1)
    return redis.Redis(host=host, port=int(port))


class Window:
    """The time in which cycles count: it opens when the threads are there and have settled."""

    def __init__(self, settle, seconds, begun=lambda: None):
        self.begins = time.perf_counter() + settle
        self.ends = self.begins + seconds
        self.begun = begun

    def open(self):
        """Sleeps until it opens; says from when cycles count, and how much processor time was used before."""
        time.sleep(max(0, self.begins - time.perf_counter()))
        self.begun()
        return self.begins, time.process_time()


def result(began, cpu_before, per_worker, settled, times):
    """`settled`: cycles before the window, which the server has seen all the same."""
    times = sorted(times)

    def percentile(share):
        return times[round(share * (len(times) - 1))] * 1e6 if times else 0

    return {
        "seconds": time.perf_counter() - began,
        "cycles": sum(per_worker),
        "per_worker": per_worker,
        "settled": settled,
        "p50_us": percentile(0.5),
        "p99_us": percentile(0.99),
        "cpu_seconds": time.process_time() - cpu_before,
    }


def work(lock, window, cycles, settled, times, which):
    """Cycles of one worker; a list is filled by one thread each."""
    now = time.perf_counter()
    while now < window.ends:
        lock.acquire()
        waited = time.perf_counter() - now
        lock.release()
        if now >= window.begins:
            times.append(waited)
            cycles[which] += 1
        else:
            settled[which] += 1
        now = time.perf_counter()


class Threads:
    """A thread each, on locks of their own or on one."""

    warm = True

    def __init__(self, address, names):
        self.clients = [connect(address)]
        # An object each: it remembers its token.
        self.locks = [self.clients[0].lock(name, timeout=LEASE) for name in names]

    def round(self, window):
        cycles, settled = [0] * len(self.locks), [0] * len(self.locks)
        times = [[] for _ in self.locks]
        threads = [
            threading.Thread(target=work, args=(lock, window, cycles, settled, times[which], which))
            for which, lock in enumerate(self.locks)
        ]
        for each in threads:
            each.start()
        began, cpu = window.open()
        for each in threads:
            each.join()
        return result(began, cpu, cycles, sum(settled), [each for some in times for each in some])


class HandOff:
    """From one client to another one that waits."""

    warm = True

    def __init__(self, address, name):
        self.clients = [connect(address), connect(address)]
        self.first, self.second = (each.lock(name, timeout=LEASE) for each in self.clients)

    def round(self, window):
        settled = 0
        while time.perf_counter() < window.begins:
            self.once()
            settled += 1
        began, cpu = window.open()
        times = []
        while time.perf_counter() < window.ends or len(times) < 3:
            times.append(self.once())
        return result(began, cpu, [len(times)], settled, times)

    def once(self):
        acquired = []
        self.first.acquire()

        def wait():
            self.second.acquire()
            acquired.append(time.perf_counter())
            self.second.release()

        waiter = threading.Thread(target=wait)
        waiter.start()
        time.sleep(0.002)  # long enough for the other to have been refused
        released = time.perf_counter()
        self.first.release()
        waiter.join()
        return acquired[0] - released


class Hold:
    """Locks that are taken once; nothing renews them."""

    warm = False

    def __init__(self, address, names):
        self.clients = [connect(address)]
        self.locks = [self.clients[0].lock(name, timeout=LEASE) for name in names]

    def round(self, window):
        began, cpu = window.open()
        for lock in self.locks:
            lock.acquire()
        return result(began, cpu, [len(self.locks)], 0, [])


def scenario(address, kind, workers, name):
    if kind == "own":
        return Threads(address, [f"{name}:{number}" for number in range(workers)])
    if kind == "shared":
        return Threads(address, [name] * workers)
    if kind == "hand_off":
        return HandOff(address, name)
    if kind == "hold":
        return Hold(address, [f"{name}:{number}" for number in range(workers)])
    raise SystemExit(f"there is no scenario {kind}")


def main(arguments):
    address, name = arguments[1:3]
    what = None
    for order in sys.stdin:
        words = order.split()
        if words[0] == "play":
            for client in what.clients if what else []:
                client.close()
            what = scenario(address, words[1], int(words[2]), name)
            if what.warm:
                what.round(Window(0, 0.2))
            print("ready", flush=True)
        else:
            settle, period = (int(word) / 1000 for word in words[1:3])
            window = Window(settle, period, lambda: print("begun", flush=True))
            print(json.dumps(what.round(window)), flush=True)


if __name__ == "__main__":
    main(sys.argv)
