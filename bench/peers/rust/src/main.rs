//! rslock as a peer of the benchmark: the protocol of bench/peers/README.md.

mod round;
mod scenario;

use rslock::LockManager;
use scenario::Scenario;
use std::io::BufRead;
use std::time::Duration;

const WARM_UP: Duration = Duration::from_millis(200);

fn connect(address: &str) -> LockManager {
    LockManager::new(vec![format!("redis://{address}/")])
}

fn make(kind: &str, address: &str, workers: usize, name: &str) -> Scenario {
    let numbered = (0..workers)
        .map(|number| format!("{name}:{number}"))
        .collect();
    match kind {
        // Its own way to do many things at once is tasks, with threads or without.
        "own" | "own_async" => Scenario::Cycles {
            locks: connect(address),
            names: numbered,
        },
        "shared" => Scenario::Cycles {
            locks: connect(address),
            names: vec![name.to_string(); workers],
        },
        "hand_over" => Scenario::HandOver {
            first: connect(address),
            second: connect(address),
            name: name.to_string(),
        },
        "hold" => Scenario::Hold {
            locks: connect(address),
            names: numbered,
        },
        _ => panic!("there is no scenario {kind}"),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (address, name) = (&arguments[1], &arguments[2]);
    // As many threads as there are cores for it.
    let tasks = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let mut playing = None;
    for order in std::io::stdin().lock().lines() {
        let order = order.expect("an order");
        let words: Vec<&str> = order.split(' ').collect();
        let number: usize = words
            .last()
            .and_then(|word| word.parse().ok())
            .expect("a number");
        if words[0] == "play" {
            let what = make(words[1], address, number, name);
            if what.needs_warmth() {
                tasks.block_on(what.round(WARM_UP));
            }
            playing = Some(what);
            println!("ready");
        } else {
            let what = playing.as_ref().expect("a scenario before a round");
            println!(
                "{}",
                tasks.block_on(what.round(Duration::from_millis(number as u64)))
            );
        }
    }
}
