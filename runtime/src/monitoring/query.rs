//! Queries in PromQL: selectors, and sums over the replicas of an operator.

/// The labels of an installation: the job, and the namespace if Prometheus has it.
pub(super) const PLACE: &str = "job, namespace";

/// Selects the series of a metric whose labels match. The matchers are written as in PromQL.
pub(super) fn select(metric: &str, matchers: &[&str]) -> String {
    let matchers: Vec<&str> = matchers.iter().copied().filter(|matcher| !matcher.is_empty()).collect();
    format!("{metric}{{{}}}", matchers.join(","))
}

/// Matches one of these values, which consist of letters, digits and `_`.
pub(super) fn one_of(label: &str, values: &[&str]) -> String {
    match values {
        [one] => format!("{label}=\"{one}\""),
        several => format!("{label}=~\"{}\"", several.join("|")),
    }
}

/// Matches the series of this job.
pub(super) fn of_job(job: &str) -> String {
    format!("job=\"{}\"", job.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Combines the series that have the same values of the labels.
pub(super) fn by(operation: &str, labels: &str, query: &str) -> String {
    format!("{operation} by ({labels}) ({query})")
}

/// The number that a counter rises by per second.
pub(super) fn rate(counter: &str, window: &str) -> String {
    format!("rate({counter}[{window}])")
}

/// The number that a counter rises by within the window.
pub(super) fn increase(counter: &str, window: &str) -> String {
    format!("increase({counter}[{window}])")
}

/// The time that 99 of 100 observations of a histogram do not exceed. `labels`: those of the result.
pub(super) fn p99(buckets: &str, window: &str, labels: &str) -> String {
    let sums = by("sum", &format!("{labels}, le"), &rate(buckets, window));
    format!("histogram_quantile(0.99, {sums})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_have_only_the_matchers_that_there_are() {
        assert_eq!(select("up", &[&of_job("a"), ""]), "up{job=\"a\"}");
        assert_eq!(of_job("a\"b\\"), "job=\"a\\\"b\\\\\"");
        assert_eq!(one_of("kind", &["A"]), "kind=\"A\"");
        assert_eq!(one_of("kind", &["A", "B"]), "kind=~\"A|B\"");
    }

    #[test]
    fn a_quantile_keeps_the_buckets_apart() {
        let query = p99("wait_bucket", "5m", "controller");
        assert_eq!(query, "histogram_quantile(0.99, sum by (controller, le) (rate(wait_bucket[5m])))");
    }
}
