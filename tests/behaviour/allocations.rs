//! Allocations of the queue are the same for few and for many objects and for few and many concurrent passes; and the memory of a cache per
//! object.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use allocation_counter::measure;
use evenkeel::__test_hooks::{Bare, kept, requeued};
use evenkeel::wiring::Cache;
use evenkeel_bench::answers::{Answers, Aside};
use evenkeel_bench::hand::{Work, b1};
use evenkeel_bench::kind::Release;
use evenkeel_bench::ours::{self, Lab, start_with};
use evenkeel_bench::sample::Sample;
use kube::{Client, CustomResourceExt};
use serde_json::json;
use tokio::runtime::Builder;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const HOUR: Duration = Duration::from_secs(3600);

/// Allocations of the work, per key.
fn each(keys: usize, work: impl FnOnce()) -> f64 {
    measure(work).count_total as f64 / keys as f64
}

#[test]
fn a_due_pass_costs_less_than_one_allocation() {
    for size in SIZES {
        let mut queue = Bare::new(size);
        let cost = each(size, || {
            queue.fill();
            while let Some(taken) = queue.take() {
                queue.requeue(&taken, HOUR);
            }
        });
        println!("{size} due at a time: {cost:.3} allocations for each, with its timer");
        assert!(cost < 1.0, "{size}: {cost}");
    }
}

#[test]
fn a_timer_costs_less_than_one_allocation() {
    for size in SIZES {
        let mut queue = Bare::new(size);
        queue.fill();
        while let Some(taken) = queue.take() {
            queue.fail(&taken);
        }
        let cost = each(size, || {
            queue.pass(HOUR);
            while let Some(taken) = queue.take() {
                queue.requeue(&taken, HOUR);
            }
        });
        println!("{size} timers: {cost:.3} allocations for each that comes and is set again");
        assert!(cost < 1.0, "{size}: {cost}");
    }
}

/// The passes of one more hour and the allocations of each, without those of the start.
fn one_hour_more(keys: usize, concurrency: usize) -> (usize, f64) {
    let concurrency = NonZeroUsize::new(concurrency).unwrap();
    let run = |hours: u32| {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let mut passes = 0;
        let minutes = HOUR * hours + Duration::from_secs(60);
        let cost = measure(|| passes = runtime.block_on(requeued(keys, concurrency, HOUR, minutes)));
        (passes, cost.count_total)
    };
    let ((few, cheap), (many, dear)) = (run(1), run(2));
    (many - few, (dear - cheap) as f64 / (many - few) as f64)
}

#[test]
fn a_requeue_costs_at_most_eight_allocations() {
    for size in [1_000, 100_000] {
        let (passes, cost) = one_hour_more(size, 16);
        println!("{size} requeue timers: {cost:.2} allocations for each of {passes} passes");
        assert_eq!(passes, size);
        assert!(cost <= 8.0, "{size}: {cost}");
    }
}

#[test]
fn a_pass_costs_the_same_whatever_the_concurrency() {
    let base = one_hour_more(10_000, 1).1;
    for concurrency in [16, 4_096] {
        let cost = one_hour_more(10_000, concurrency).1;
        println!("{concurrency} passes at a time: {cost:.2} allocations for each, {base:.2} one after another");
        assert!(cost <= base * 1.05, "{concurrency}: {cost} against {base}");
    }
}

/// Allocations per event of one of `children` children of one object, from the text of the event to the end of the pass, without those of
/// the server. Nothing is written.
fn an_event_of_one_among<F: Future<Output = ()> + Send + 'static>(
    children: usize,
    child: &Sample,
    passes: impl Fn() -> usize,
    start: impl Fn(Client) -> F,
) -> f64 {
    const EVENTS: usize = 7;
    let samples = [&Sample::read("releases").distinct().alone(), child];
    let aside: Aside = |work| allocation_counter::opt_out(work);
    let answers = Answers::render(&samples, &Release::crd(), children, 500, aside).writable();
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let settle = || runtime.block_on(async { tokio::time::sleep(Duration::from_secs(5)).await });
    let client = runtime.block_on(async { answers.client() });
    runtime.spawn(start(client));
    settle();
    // The first event grows buffers that later events reuse.
    let cost = |numbers: Range<usize>| {
        measure(|| {
            for number in numbers {
                answers.change_one(1, number);
                settle();
            }
        })
    };
    cost(0..5);
    let before = passes();
    // The digest of the children is stored once within the hour, at a minute of the wall clock: in one of the rounds at most.
    let rounds = [5, 5 + EVENTS].map(|first| cost(first..first + EVENTS).count_total);
    assert_eq!(passes() - before, 2 * EVENTS, "a pass for each event");
    rounds[0].min(rounds[1]) as f64 / EVENTS as f64
}

/// The same for evenkeel and for a hand-written, tuned controller whose pass does nothing.
fn an_event_of(child: &Sample, children: usize) -> [f64; 2] {
    let (lab, passes) = (Arc::new(Lab::default()), Arc::new(AtomicUsize::new(0)));
    let ours = |client| start_with::<ours::owner>(client, lab.clone());
    let work = Work { children: 1, ..Work::IDLE };
    let by_hand = |client| b1(client, work, passes.clone());
    let whole = child.clone().whole("ConfigMap");
    [
        an_event_of_one_among(children, child, || lab.bodies(), ours),
        an_event_of_one_among(children, &whole, || passes.load(Ordering::Relaxed), by_hand),
    ]
}

#[test]
fn a_child_event_costs_the_same_for_any_number() {
    let child = Sample::read("configmaps").siblings();
    let [few, many] = [20, 10_000].map(|children| an_event_of(&child, children));
    let lean = an_event_of(&child.managers(0), 20);
    println!("allocations of an event of a child, ours and by hand: {few:?} among 20, {many:?} among 10,000");
    println!("of one without managedFields: {lean:?}");
    assert!((many[0] - few[0]).abs() <= 1.0, "{many:?} against {few:?}");
    // The body of evenkeel runs, and its result is compared with the status.
    assert!(many[0] <= many[1], "{many:?}");
    // The hand-written controller needs 101 for a child without managedFields, and its pass does nothing.
    assert!(many[0] <= 103.0, "{many:?}");
}

/// A Secret of a little more than a kilobyte, with the metadata that a server adds.
fn a_secret(number: usize) -> String {
    let managed = json!([{ "manager": "kubectl", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "time":
        "2026-01-02T03:04:05Z", "fieldsV1": { "f:data": { ".": {}, "f:token": {} }, "f:type": {} } }]);
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": { "token": "QUJD".repeat(256) },
        "metadata": { "name": format!("secret-{number}"), "namespace": "team-a", "uid": format!("{number:036}"), "resourceVersion":
            format!("{}", 1000 + number), "creationTimestamp": "2026-01-02T03:04:05Z", "managedFields": managed,
            "labels": { "app.kubernetes.io/name": "web", "app.kubernetes.io/part-of": "shop", "tier": "front" } } });
    secret.to_string()
}

#[test]
fn a_cache_uses_the_documented_memory_per_object() {
    let secrets: Vec<String> = (0..1_000).map(a_secret).collect();
    let bytes = [Cache::None, Cache::Metadata, Cache::Full].map(|cache| {
        let (mut small, mut large) = (None, None);
        let half = measure(|| small = Some(kept(cache, &secrets[..500]))).bytes_current;
        let all = measure(|| large = Some(kept(cache, &secrets))).bytes_current;
        drop((small, large));
        let each = (all - half) as f64 / 500.0;
        println!("{cache:?}: {each:.0} bytes of each secret");
        each
    });
    let [none, metadata, full] = bytes;
    assert!(none <= 320.0 && metadata <= 5.0 * none && full >= metadata + 1_024.0, "{bytes:?}");
}
