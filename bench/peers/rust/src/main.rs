//! rslock as a peer of the benchmark: the protocol of bench/peers/README.md.

mod round;
mod scenario;

use round::Window;
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
        "hand_off" => Scenario::HandOff {
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
        let number = |at: usize| -> u64 { words[at].parse().expect("a number") };
        if words[0] == "play" {
            let what = make(words[1], address, number(2) as usize, name);
            if what.needs_warmth() {
                tasks.block_on(what.round(Window::new(Duration::ZERO, WARM_UP, false)));
            }
            playing = Some(what);
            println!("ready");
        } else {
            let what = playing.as_ref().expect("a scenario before a round");
            let (settle, period) = (number(1), number(2));
            let when = Window::new(
                Duration::from_millis(settle),
                Duration::from_millis(period),
                true,
            );
            println!("{}", tasks.block_on(what.round(when)));
        }
    }
}
