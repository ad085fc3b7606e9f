//! What is measured.

use crate::round::Window;
use rslock::LockManager;
use std::time::{Duration, Instant};

const LEASE: Duration = Duration::from_secs(30);

pub enum Scenario {
    /// A task for each name, over the one connection of the manager.
    Cycles {
        locks: LockManager,
        names: Vec<String>,
    },
    /// From one client to another one that waits.
    HandOff {
        first: LockManager,
        second: LockManager,
        name: String,
    },
    /// Locks that are taken once; nothing renews them.
    Hold {
        locks: LockManager,
        names: Vec<String>,
    },
}

impl Scenario {
    pub fn needs_warmth(&self) -> bool {
        !matches!(self, Scenario::Hold { .. })
    }

    /// A line of JSON.
    pub async fn round(&self, when: Window) -> String {
        match self {
            Scenario::Cycles { locks, names } => cycles(locks, names, when).await,
            Scenario::HandOff {
                first,
                second,
                name,
            } => hand_off(first, second, name, when).await,
            Scenario::Hold { locks, names } => hold(locks, names, when).await,
        }
    }
}

async fn cycles(locks: &LockManager, names: &[String], when: Window) -> String {
    let tasks: Vec<_> = names
        .iter()
        .map(|name| {
            let (locks, name) = (locks.clone(), name.clone());
            tokio::spawn(async move {
                let mut times = Vec::new();
                let mut settled = 0;
                while !when.is_over() {
                    let asked = Instant::now();
                    let guard = locks.acquire(name.as_str(), LEASE).await.expect("the lock");
                    let waited = asked.elapsed();
                    guard.release().await;
                    if when.counts(asked) {
                        times.push(waited);
                    } else {
                        settled += 1;
                    }
                }
                (times, settled)
            })
        })
        .collect();
    let watch = when.open().await;
    let mut per_worker = Vec::new();
    let mut all = Vec::new();
    let mut settled = 0;
    for task in tasks {
        let (times, before) = task.await.expect("a task that ends");
        per_worker.push(times.len());
        all.extend(times);
        settled += before;
    }
    watch.result(per_worker, settled, all)
}

async fn hand_off(first: &LockManager, second: &LockManager, name: &str, when: Window) -> String {
    let mut settled = 0;
    while !when.counts(Instant::now()) {
        hand_off_once(first, second, name).await;
        settled += 1;
    }
    let watch = when.open().await;
    let mut times = Vec::new();
    while !when.is_over() || times.len() < 3 {
        times.push(hand_off_once(first, second, name).await);
    }
    watch.result(vec![times.len()], settled, times)
}

async fn hand_off_once(first: &LockManager, second: &LockManager, name: &str) -> Duration {
    let held = first.acquire(name, LEASE).await.expect("the lock");
    let (other, wanted) = (second.clone(), name.to_string());
    let waiter = tokio::spawn(async move {
        let guard = other
            .acquire(wanted.as_str(), LEASE)
            .await
            .expect("the lock");
        let now = Instant::now();
        guard.release().await;
        now
    });
    tokio::time::sleep(Duration::from_millis(2)).await; // long enough for the other to have been refused
    let released = Instant::now();
    held.release().await;
    waiter.await.expect("a task that ends") - released
}

async fn hold(locks: &LockManager, names: &[String], when: Window) -> String {
    let watch = when.open().await;
    for name in names {
        let _kept_until_it_expires = locks.acquire(name.as_str(), LEASE).await.expect("the lock");
    }
    watch.result(vec![names.len()], 0, Vec::new())
}
