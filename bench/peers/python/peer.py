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


def result(began, cpu_before, per_worker, times):
    times = sorted(times)

    def percentile(share):
        return times[round(share * (len(times) - 1))] * 1e6 if times else 0

    return {
        "seconds": time.perf_counter() - began,
        "cycles": sum(per_worker),
        "per_worker": per_worker,
        "p50_us": percentile(0.5),
        "p99_us": percentile(0.99),
        "cpu_seconds": time.process_time() - cpu_before,
    }


def work(lock, until, cycles, times, which):
    """Cycles of one worker; a list is filled by one thread each."""
    now = time.perf_counter()
    while now < until:
        lock.acquire()
        times.append(time.perf_counter() - now)
        lock.release()
        cycles[which] += 1
        now = time.perf_counter()


class Threads:
    """A thread each, on locks of their own or on one."""

    warm = True

    def __init__(self, address, names):
        self.clients = [connect(address)]
        # An object each: it remembers its token.
        self.locks = [self.clients[0].lock(name, timeout=LEASE) for name in names]

    def round(self, seconds):
        began, cpu = time.perf_counter(), time.process_time()
        cycles = [0] * len(self.locks)
        times = [[] for _ in self.locks]
        threads = [
            threading.Thread(target=work, args=(lock, began + seconds, cycles, times[which], which))
            for which, lock in enumerate(self.locks)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return result(began, cpu, cycles, [each for some in times for each in some])


class HandOver:
    """From one client to another one that waits."""

    warm = True

    def __init__(self, address, name):
        self.clients = [connect(address), connect(address)]
        self.first, self.second = (each.lock(name, timeout=LEASE) for each in self.clients)

    def round(self, seconds):
        began, cpu = time.perf_counter(), time.process_time()
        times = []
        while time.perf_counter() < began + seconds or len(times) < 3:
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
            times.append(acquired[0] - released)
        return result(began, cpu, [len(times)], times)


class Hold:
    """Locks that are taken once; nothing renews them."""

    warm = False

    def __init__(self, address, names):
        self.clients = [connect(address)]
        self.locks = [self.clients[0].lock(name, timeout=LEASE) for name in names]

    def round(self, _seconds):
        began, cpu = time.perf_counter(), time.process_time()
        for lock in self.locks:
            lock.acquire()
        return result(began, cpu, [len(self.locks)], [])


def scenario(address, kind, workers, name):
    if kind == "own":
        return Threads(address, [f"{name}:{number}" for number in range(workers)])
    if kind == "shared":
        return Threads(address, [name] * workers)
    if kind == "hand_over":
        return HandOver(address, name)
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
                what.round(0.2)
            print("ready", flush=True)
        else:
            print(json.dumps(what.round(int(words[1]) / 1000)), flush=True)


if __name__ == "__main__":
    main(sys.argv)
