//! The memory that this process has in use.

/// The resident memory of this process in bytes, as Linux reports it.
#[must_use]
pub fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS");
    line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") * 1024.0
}
