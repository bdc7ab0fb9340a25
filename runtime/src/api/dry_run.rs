//! The log of a dry run, in which effects are reported instead of caused.

/// Records what the passes of a dry run leave out.
pub trait DryRunLog: Send + Sync {
    /// Records a part of the author's code that does not run. The status of the object is then unknown.
    fn would_run(&self, part: &str);
    /// Records a part of the author's code that does not start, and that the status does not depend on.
    fn would_start(&self, part: &str);
    /// Ends the running step at its next await, since it has reached an effect that a dry run leaves out.
    fn halt(&self, step: &'static str);
    /// Whether the running step was halted.
    fn is_halted(&self, step: &'static str) -> bool;
    /// Begins a step, which is not halted yet.
    fn begin(&self, step: &'static str);
    /// Records steps that cannot run without the result of one that does not run.
    fn cannot_run(&self, steps: &[&str], without: &str);
    /// Whether the status of the current object is unknown.
    fn is_incomplete(&self) -> bool;
    /// Wraps a client so that it only simulates its writes, and records them.
    #[cfg(feature = "operator")]
    fn client(&'static self, client: &kube::Client) -> kube::Client;
}
