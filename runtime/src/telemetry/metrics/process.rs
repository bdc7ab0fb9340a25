//! The memory of the process, under the name that the client libraries of Prometheus give it.

use std::fmt::Error;

use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::gauge::ConstGauge;

/// The name of the metric.
pub(super) const MEMORY: &str = "process_resident_memory_bytes";

/// Writes the memory of the process, where the system reports it.
pub(super) fn encode(encoder: &mut DescriptorEncoder) -> Result<(), Error> {
    let Some(bytes) = resident_bytes() else { return Ok(()) };
    let gauge = ConstGauge::new(bytes);
    gauge.encode(encoder.encode_descriptor(
        MEMORY,
        "Memory of the process that is not swapped out",
        None,
        gauge.metric_type(),
    )?)
}

/// The resident memory; `None` on systems without `/proc`.
fn resident_bytes() -> Option<i64> {
    parse(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Reads the line `VmRSS:    1234 kB`. Its unit is fixed: <https://man7.org/linux/man-pages/man5/proc_pid_status.5.html>.
fn parse(status: &str) -> Option<i64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_read_from_its_line() {
        assert_eq!(parse("VmHWM:\t  99 kB\nVmRSS:\t    12 kB\n"), Some(12 * 1024));
        assert_eq!(parse("VmHWM:\t  99 kB\n"), None);
        assert_eq!(parse("VmRSS:\t x kB\n"), None);
    }
}
