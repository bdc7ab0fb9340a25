//! The hashed text of a wiring. Any change of the text changes the hash in the status of every object.

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};

use super::*;
use crate::condition::{ConditionInfo, Polarity, SummaryInfo};
use crate::object_status::ObjectStatus;
use crate::outcome::PassResult;
use crate::outcome::reporting::{Actions, VariantInfo};
use crate::wiring::handler::Erased;
use crate::wiring::policy::Policies;
use crate::wiring::triggers::Names;
use crate::wiring::{
    Arm, Cache, ClaimHandler, HookHandler, How, KindInfo, Node, ObserveHandler, Previously, ReadyFunction, StepWiring,
    When,
};

fn run<'a>(_: &'a Erased, _: &'a Erased, _: &'a mut Erased) -> BoxFuture<'a, PassResult> {
    Box::pin(async { Ok(()) })
}

fn claim<'a>(_: &'a mut Erased, _: &'a Erased, _: &'a mut Erased) -> BoxFuture<'a, PassResult> {
    Box::pin(async { Ok(()) })
}

const fn named(name: &'static str) -> StepWiring {
    StepWiring { name, ..StepWiring::EMPTY }
}

const SECRETS: Option<fn() -> KindInfo> = Some(KindInfo::of::<Secret>);
const MAPS: Option<fn() -> KindInfo> = Some(KindInfo::of::<ConfigMap>);

const fn hook_handler(when: When, step: &'static StepWiring) -> HookHandler {
    HookHandler { when, step, run }
}

/// These two wirings contain every variant of every hashed value.
const FULL: Wiring = Wiring {
    name: "things",
    revision: 7,
    previously: Previously { managers: &["old", "older \"x\""], finalizers: &["example.com/old"], reconcilers: &[] },
    depends_on: true,
    conditions: &[
        ConditionInfo::new("Stored", Polarity::Positive),
        ConditionInfo::new("Outdated", Polarity::Negative),
        ConditionInfo::new("Verified", Polarity::Bipolar),
    ],
    summaries: &[SummaryInfo { type_: "Available", of: &[0, 2], doc: "" }],
    triggers: Triggers { labels: Names::All, annotations: Names::Only(&["example.com/tier", "note"]) },
    policies: Some(Policies { key: "example.com/policy", namespace: true }),
    claim: Some(ClaimHandler { is_pure: true, step: &named("name_it"), run: claim }),
    observe: Some(ObserveHandler { step: StepWiring { sets: &[0], ..named("look") }, run }),
    hooks: &[
        hook_handler(When::Read, &named("read")),
        hook_handler(When::Before, &named("before")),
        hook_handler(When::After, &named("after")),
        hook_handler(When::BeforeDelete, &named("before_delete")),
        hook_handler(When::AfterDelete, &named("after_delete")),
    ],
    steps: &[
        StepWiring {
            sets: &[0, 1],
            clears: &[],
            relations: &[
                Relation::new(How::Owns, SECRETS),
                Relation::new(How::Owns, MAPS).cached(Cache::Metadata).adopting(Adopt::IfUnowned),
                Relation::new(How::Owns, MAPS).cached(Cache::Full).adopting(Adopt::Always),
                Relation::new(How::WatchesByName, SECRETS).cached(Cache::None),
                Relation::new(How::WatchesLabels("app=web,tier in (a)"), SECRETS),
                Relation::new(How::Reads, None),
            ],
            actions: &["restart"],
            errors: &[
                VariantInfo::new("Invalid", "stalled", "", Actions::STALLED),
                VariantInfo::new("Broken", "transient", "", Actions::TRANSIENT),
            ],
            ..named("fetch")
        },
        StepWiring { sets: &[2], clears: &[1], external: true, ..named("store") },
    ],
    shape: &[
        Node::Call(0),
        Node::Branch(&[
            Arm { when: "x", nodes: &[Node::Join(&[0, 1])] },
            Arm { when: "", nodes: &[Node::Skip { step: 1, reason: "NotAsked" }] },
        ]),
        Node::Loop { step: 1, over: "all" },
    ],
    summary: Some("BackupReady"),
    ..Wiring::EMPTY
};

const OTHER: Wiring = Wiring {
    name: "others",
    triggers: Triggers { labels: Names::Only(&[]), annotations: Names::All },
    policies: Some(Policies::DEFAULT),
    steps: &[named("act")],
    ..Wiring::EMPTY
};

/// The lines of the text.
const FULL_TEXT: [&str; 10] = [
    r#"things 7 Previously { managers: ["old", "older \"x\""], finalizers: ["example.com/old"] } depends SameNamespace after report"#,
    "Stored Positive",
    "Outdated Negative",
    "Verified Bipolar",
    r#"Available of [0, 2] Triggers { labels: All, annotations: Only(["example.com/tier", "note"]) } Policies { key: "example.com/policy", namespace: true } claim name_it Read read Before before After after BeforeDelete before_delete AfterDelete after_delete"#,
    r#"fetch [0, 1] [] false Owns v1/Secret Owns v1/ConfigMap keeps Metadata adopts IfUnowned Owns v1/ConfigMap keeps Full adopts Always WatchesByName v1/Secret keeps None WatchesLabels("app=web,tier in (a)") v1/Secret Reads  on restart Invalid=stalled Broken=transient"#,
    "store [2] [1] true",
    "look [0] [] false",
    "BackupReady",
    "0 ([0 1]|!1:NotAsked) 1*",
];

const OTHER_TEXT: [&str; 3] = [
    r#"others 0 Previously { managers: [], finalizers: [] } Triggers { labels: Only([]), annotations: All } Policies { key: "evenkeel.dev/policy", namespace: false }"#,
    "act [] [] false",
    "0",
];

#[test]
fn the_text_of_a_wiring_is_stable() {
    let full = text(&FULL, Some("report"), Access::SameNamespace);
    assert_eq!(full.split('\n').collect::<Vec<_>>(), FULL_TEXT, "users' objects would all run once after an upgrade");
    assert_eq!(wiring(&FULL, Some("report"), Access::SameNamespace, None), "980165b844cc818c");
    let other = text(&OTHER, None, Access::ByAcl);
    assert_eq!(other.split('\n').collect::<Vec<_>>(), OTHER_TEXT, "users' objects would all run once after an upgrade");
    assert_eq!(wiring(&OTHER, None, Access::ByAcl, None), "ad86390b5bc1010a");
}

fn with(condition: ConditionInfo) -> String {
    let conditions: &'static [ConditionInfo] = Box::leak(Box::new([condition]));
    wiring(&Wiring { name: "things", conditions, ..Wiring::EMPTY }, None, Access::default(), None)
}

#[test]
fn a_doc_comment_is_not_part_of_the_wiring() {
    let plain = ConditionInfo::new("Stored", Polarity::Positive);
    assert_eq!(with(plain), with(plain.with_doc("It is stored. In S3.").with_message("It is stored.")));
    assert_ne!(with(plain), with(ConditionInfo::new("Stored", Polarity::Negative)));
}

#[test]
fn the_access_setting_counts_only_with_watching_steps() {
    const WATCHING: StepWiring =
        StepWiring { relations: &[Relation::new(How::WatchesByName, None)], ..StepWiring::EMPTY };
    const OWNING: StepWiring = StepWiring { relations: &[Relation::new(How::Owns, None)], ..StepWiring::EMPTY };
    let of = |steps: &'static [StepWiring], access| wiring(&Wiring { steps, ..Wiring::EMPTY }, None, access, None);
    assert_eq!(of(&[OWNING], Access::ByAcl), of(&[OWNING], Access::SameNamespace));
    assert_ne!(of(&[WATCHING], Access::ByAcl), of(&[WATCHING], Access::SameNamespace));
}

#[test]
fn a_relation_is_described_by_kind_and_non_default_options() {
    let owns = Relation::new(How::Owns, SECRETS);
    assert_eq!(describe(&owns), "Owns v1/Secret");
    assert_eq!(describe(&owns.cached(Cache::None)), "Owns v1/Secret");
    assert_eq!(describe(&owns.cached(Cache::Full)), "Owns v1/Secret keeps Full");
    assert_eq!(describe(&Relation { adopt: Adopt::Always, ..owns }), "Owns v1/Secret adopts Always");
    assert_eq!(describe(&owns.labelled(&[("a", "b"), ("c", "d")])), "Owns v1/Secret labels a=b,c=d");
    assert_eq!(describe(&Relation::new(How::Reads, None)), "Reads ");
}

#[test]
fn the_settings_of_a_set_are_part_of_the_wiring() {
    const READY: ReadyFunction =
        ReadyFunction { kind: SECRETS, name: "parts::asked", status: |_| ObjectStatus::Current };
    let added = |step: &StepWiring| {
        let mut text = String::new();
        add_step(&mut text, step);
        text
    };
    let set =
        StepWiring { within_namespace: true, events: true, prefix: Some("x.io"), manages: &["*/*"], ..named("keep") };
    assert_eq!(added(&set), "\nkeep [] [] false within namespace prefix x.io manages */* events");
    let of_object = Some("spec.types");
    assert_eq!(added(&StepWiring { manages_of: of_object, ..named("keep") }), "\nkeep [] [] false manages spec.types");
    assert_eq!(added(&StepWiring { ready: &[READY], ..named("keep") }), "\nkeep [] [] false ready Secret=parts::asked");
}
