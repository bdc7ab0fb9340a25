//! Metrics that are computed during a scrape: queue state, conditions of cached objects, watches and memory.

use std::collections::BTreeMap;
use std::fmt::Error;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use super::process;
use super::reconciler::{ReconcilerMetrics, Subjects};
use super::subject::Subject;
use crate::condition::ConditionStatus;
use crate::queue::QueueStats;
use crate::watch::Health;
use crate::wiring::policy::{Policy, UNKNOWN_WORD};

/// Reads the reconcilers during a scrape.
#[derive(Debug)]
pub(super) struct Scrape {
    pub(super) subjects: Subjects,
    pub(super) health: Health,
    /// Whether the author has a metric for the memory of the process.
    pub(super) has_memory: bool,
}

type Queue = (Arc<ReconcilerMetrics>, Arc<dyn Subject>);

impl Collector for Scrape {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), Error> {
        let all: Vec<Queue> =
            self.subjects.all().into_iter().filter_map(|one| Some((one.clone(), one.subject()?))).collect();
        workers(&all, &mut encoder)?;
        queues(&all, &mut encoder)?;
        conditions(&all, &mut encoder)?;
        policies(&all, &mut encoder)?;
        dependents(&all, &mut encoder)?;
        watches(&self.health, &mut encoder)?;
        foreign_objects(&self.health, &mut encoder)?;
        if self.has_memory { Ok(()) } else { process::encode(&mut encoder) }
    }
}

/// Writes one family, with a value for each reconciler.
fn family<M: EncodeMetric>(
    all: &[Queue],
    encoder: &mut DescriptorEncoder,
    (name, help): (&str, &str),
    value: impl Fn(&Queue) -> M,
) -> Result<(), Error> {
    let Some(type_) = all.first().map(|one| value(one).metric_type()) else { return Ok(()) };
    let mut family = encoder.encode_descriptor(name, help, None, type_)?;
    for one in all {
        let controller = ("controller", one.0.name());
        match name.starts_with("workqueue") {
            true => value(one).encode(family.encode_family(&[controller, ("name", one.0.name())])?)?,
            false => value(one).encode(family.encode_family(&[controller])?)?,
        }
    }
    Ok(())
}

fn workers(all: &[Queue], encoder: &mut DescriptorEncoder) -> Result<(), Error> {
    let gauge = |value: usize| ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
    let name = ("controller_runtime_active_workers", "Passes that run");
    family(all, encoder, name, |(_, queue)| gauge(queue.figures().running))?;
    let name = ("controller_runtime_max_concurrent_reconciles", "Passes that may run at a time");
    family(all, encoder, name, |(controller, _)| gauge(controller.concurrency()))
}

fn queues(all: &[Queue], encoder: &mut DescriptorEncoder) -> Result<(), Error> {
    let count = |queue: &Queue, read: fn(&QueueStats) -> u64| ConstCounter::new(read(&queue.1.figures()));
    let gauge = |value: usize| ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
    let name = ("workqueue_depth", "Objects that wait for a pass");
    family(all, encoder, name, |(_, queue)| gauge(queue.figures().depth()))?;
    let name = ("evenkeel_queue_sleeping", "Objects that wait for their time, without a place in the queue");
    family(all, encoder, name, |(_, queue)| gauge(queue.figures().sleeping))?;
    let name = ("evenkeel_undecodable_objects", "Objects that do not fit their type and are left alone");
    family(all, encoder, name, |(_, queue)| gauge(queue.undecodable_count()))?;
    let name = ("workqueue_adds", "Objects that began to want a pass");
    family(all, encoder, name, |queue| count(queue, |figures| figures.added))?;
    let name = ("workqueue_retries", "Passes that are to be tried again with back-off");
    family(all, encoder, name, |queue| count(queue, |figures| figures.retried))?;
    let name = ("workqueue_unfinished_work_seconds", "How long the passes that run have run, together");
    family(all, encoder, name, |(_, queue)| ConstGauge::new(queue.unfinished().0.as_secs_f64()))?;
    let name = ("workqueue_longest_running_processor_seconds", "How long the pass that runs longest has run");
    family(all, encoder, name, |(_, queue)| ConstGauge::new(queue.unfinished().1.as_secs_f64()))
}

const STATUSES: [ConditionStatus; 3] = [ConditionStatus::True, ConditionStatus::False, ConditionStatus::Unknown];

/// Writes the number of objects per kind, condition and status. Only declared conditions are counted.
fn conditions(all: &[Queue], encoder: &mut DescriptorEncoder) -> Result<(), Error> {
    let help = "Objects that have a condition of this status";
    let type_ = ConstGauge::new(0_i64).metric_type();
    let mut family = encoder.encode_descriptor("evenkeel_condition", help, None, type_)?;
    // Watchers without a status may have the same conditions for one kind.
    let mut sums: BTreeMap<_, [i64; 3]> = BTreeMap::new();
    for (controller, queue) in all {
        for (condition, counts) in counted(controller, &**queue) {
            let sum = sums.entry((controller.kind(), condition)).or_default();
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    for ((kind, condition), counts) in sums {
        for (status, count) in STATUSES.iter().zip(counts) {
            let labels = [("kind", kind), ("condition", condition), ("status", status.as_str())];
            ConstGauge::new(count).encode(family.encode_family(&labels)?)?;
        }
    }
    Ok(())
}

/// Counts the statuses of each condition that the reconciler sets.
fn counted(controller: &ReconcilerMetrics, queue: &dyn Subject) -> Vec<(&'static str, [i64; 3])> {
    let wiring = controller.wiring();
    let types = wiring.condition_types().chain([wiring.summary_type()]).chain(wiring.framework_types().iter().copied());
    let mut counts: Vec<_> = types.map(|type_| (type_, [0; 3])).collect();
    queue.conditions(&mut |type_, status| {
        if let Some((_, counts)) = counts.iter_mut().find(|(own, _)| *own == type_) {
            let at = STATUSES.iter().position(|known| known.as_str() == status.as_str());
            at.into_iter().for_each(|at| counts[at] += 1);
        }
    });
    counts
}

/// Writes the number of objects per policy, for reconcilers with policies.
fn policies(all: &[Queue], encoder: &mut DescriptorEncoder) -> Result<(), Error> {
    let help = "Objects that this policy counts for";
    let type_ = ConstGauge::new(0_i64).metric_type();
    let mut family = encoder.encode_descriptor("evenkeel_policy", help, None, type_)?;
    for (controller, queue) in all.iter().filter(|(controller, _)| controller.wiring().policies.is_some()) {
        let words = Policy::ALL.iter().map(|policy| policy.as_str()).chain([UNKNOWN_WORD]);
        let mut counts: Vec<_> = words.map(|word| (word, 0_i64)).collect();
        queue.policies(&mut |word| counts.iter_mut().filter(|(of, _)| *of == word).for_each(|(_, count)| *count += 1));
        for (policy, count) in counts {
            let labels = [("controller", controller.name()), ("policy", policy)];
            ConstGauge::new(count).encode(family.encode_family(&labels)?)?;
        }
    }
    Ok(())
}

/// Writes the number of dependents per kind and status, for reconcilers with dependents.
fn dependents(all: &[Queue], encoder: &mut DescriptorEncoder) -> Result<(), Error> {
    let help = "Objects that the steps of this reconciler keep";
    let type_ = ConstGauge::new(0_i64).metric_type();
    let mut family = encoder.encode_descriptor("evenkeel_dependents", help, None, type_)?;
    for (controller, queue) in all {
        for ((kind, status), count) in queue.dependents() {
            let labels = [("controller", controller.name()), ("kind", &*kind), ("status", status)];
            ConstGauge::new(count).encode(family.encode_family(&labels)?)?;
        }
    }
    Ok(())
}

/// Writes the number of objects of other shards that API servers have sent.
fn foreign_objects(health: &Health, encoder: &mut DescriptorEncoder) -> Result<(), Error> {
    let Some(count) = health.foreign_objects() else { return Ok(()) };
    let counter = ConstCounter::new(count);
    let help = "Objects of other shards that watches received and dropped";
    counter.encode(encoder.encode_descriptor("evenkeel_foreign_objects", help, None, counter.metric_type())?)
}

/// Writes the number of failing watches. A kind that is not installed is no failure: the operator waits for it.
fn watches(health: &Health, encoder: &mut DescriptorEncoder) -> Result<(), Error> {
    let broken = health.failing().iter().filter(|watch| watch.broken.is_some() && !watch.of_no_kind).count();
    let gauge = ConstGauge::new(i64::try_from(broken).unwrap_or(i64::MAX));
    let help = "Watches that are failing, without those of kinds that are not installed";
    gauge.encode(encoder.encode_descriptor("evenkeel_broken_watches", help, None, gauge.metric_type())?)
}
