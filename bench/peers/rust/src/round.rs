//! What a round has shown, as the driver reads it.

use std::time::{Duration, Instant};

/// Of this process, all threads.
fn cpu_seconds() -> f64 {
    let mut used = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes the structure that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut used) };
    used.tv_sec as f64 + used.tv_nsec as f64 * 1e-9
}

/// The time in which cycles count: it opens when the tasks are there and have settled.
#[derive(Clone, Copy)]
pub struct Window {
    from: Instant,
    until: Instant,
    is_told: bool,
}

impl Window {
    /// When it opens that is told on stdout, if it `is_told`.
    pub fn new(settle: Duration, period: Duration, is_told: bool) -> Self {
        let from = Instant::now() + settle;
        Window {
            from,
            until: from + period,
            is_told,
        }
    }

    pub fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Whether what begins then counts.
    pub fn counts(&self, when: Instant) -> bool {
        when >= self.from
    }

    /// Sleeps until it opens.
    pub async fn open(&self) -> Watch {
        tokio::time::sleep_until(self.from.into()).await;
        if self.is_told {
            println!("begun");
        }
        Watch {
            began: self.from,
            cpu: cpu_seconds(),
        }
    }
}

/// From when cycles count, which is before the window was opened where that had to wait for its turn.
pub struct Watch {
    began: Instant,
    cpu: f64,
}

impl Watch {
    /// A line of JSON. `times` are those of the acquisitions, in any order; `settled` counts the cycles before the window,
    /// which the server has seen all the same.
    pub fn result(
        self,
        per_worker: Vec<usize>,
        settled: usize,
        mut times: Vec<Duration>,
    ) -> String {
        times.sort_unstable();
        let percentile = |share: f64| match times.len() {
            0 => 0.0,
            count => times[(share * (count - 1) as f64).round() as usize].as_secs_f64() * 1e6,
        };
        serde_json::json!({
            "seconds": self.began.elapsed().as_secs_f64(),
            "cycles": per_worker.iter().sum::<usize>(),
            "per_worker": per_worker,
            "settled": settled,
            "p50_us": percentile(0.5),
            "p99_us": percentile(0.99),
            "cpu_seconds": cpu_seconds() - self.cpu,
        })
        .to_string()
    }
}
