//! A compact cache behaves as one of whole objects does.

use evenkeel_random_cases::{Choices, each};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::*;
use crate::pipeline::bare::Bare;
use crate::pipeline::object::Primary as Reconciled;
use crate::watch::primary::rollback::{Newest, Source};
use crate::watch::primary::tests::{Thing, filter};
use crate::watch::primary::{Area, Primary};

const POLICY: &str = "example.com/policy";

/// Two caches of the same events.
struct Both {
    whole: Primary,
    compact: Primary,
    decoder: Decoder,
    filter: crate::watch::PrimaryPredicate,
}

impl Both {
    fn new<K: Reconciled>(decoded: usize) -> Self {
        let decoder = Decoder::of::<K>();
        let decoded = NonZeroUsize::new(decoded).unwrap();
        let compaction = Compaction { decoded, whole: false, policy: Some(POLICY) };
        Self {
            whole: Primary::new(decoder.clone()),
            compact: Primary::new(decoder.clone()).compacting(Some(compaction)),
            decoder,
            filter: crate::watch::PrimaryPredicate { is_suspended: Box::new(|_| false), ..filter() },
        }
    }

    fn decoded(&self, object: &Value) -> Decoded {
        let text = object.to_string();
        match self.decoder.again(&text, false).unwrap() {
            Decoded::Valid(object, _) => Decoded::Valid(object, Some(text.into())),
            invalid @ Decoded::Invalid(_) => invalid,
        }
    }

    /// Both caches have the same answer.
    fn same<T: PartialEq + std::fmt::Debug>(&self, of: impl Fn(&Primary) -> T) -> T {
        let answer = of(&self.compact);
        assert_eq!(answer, of(&self.whole));
        answer
    }

    fn compare(&self, keys: &[Key]) {
        for key in keys {
            self.same(|cache| cache.seen_version(key));
            self.same(|cache| cache.uid(key));
            let state = |object: &Object| object.bare().map(|bare| (bare.content, bare.status.clone()));
            self.same(|cache| cache.get(key).map(|object| (object.to_value().unwrap(), state(&*object))));
        }
        let sorted = |mut keys: Vec<Key>| {
            keys.sort();
            keys
        };
        self.same(|cache| sorted(cache.keys()));
        self.same(|cache| sorted(cache.keys_of(|uid| uid.ends_with('1'))));
        self.same(|cache| cache.outstanding(&Area::default()));
        self.same(|cache| {
            let mut counts: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
            cache.conditions(&mut |type_, status| {
                *counts.entry(format!("{type_} {}", status.as_str())).or_default() += 1;
            });
            let mut policies = cache.policies(POLICY);
            policies.sort();
            (counts, policies)
        });
    }
}

const UIDS: [&str; 3] =
    ["0a1b2c3d-0001-4000-8000-000000000001", "0a1b2c3d-0001-4000-8000-000000000002", "an-unusual-uid-1"];

fn object(choices: &mut Choices, name: &str, spec: &str) -> Value {
    let version = choices.range(1..30_u32);
    let version = if choices.chance(0.05) { format!("v{version}") } else { version.to_string() };
    let mut object = json!({
        "metadata": { "name": name, "namespace": "a", "uid": choices.pick(&UIDS), "resourceVersion": version,
            "generation": choices.range(1..4_i64), "annotations": { "note": "é\n\u{1F600}".repeat(choices.range(0..9_usize)) } },
    });
    if choices.chance(0.3) {
        object["metadata"]["annotations"][POLICY] = json!(choices.pick(&["skip", "detach", ""]));
    }
    if choices.chance(0.2) {
        object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        object["metadata"]["finalizers"] = json!(["example.com/tester"]);
    }
    // Some do not fit their type.
    object[spec] = if choices.chance(0.1) { json!([]) } else { json!({ "size": choices.range(0..4_u32) }) };
    if spec == "data" && object[spec].is_object() {
        object[spec] = json!({ "size": choices.range(0..4_u32).to_string() });
    }
    object
}

/// Changes both caches in the same way.
fn change(both: &Both, choices: &mut Choices, keys: &[Key], spec: &str) {
    let key = choices.pick(keys);
    let object = object(choices, &key.name, spec);
    let newest = Newest::NOTHING;
    match choices.range(0..7_u8) {
        0..2 => drop(both.same(|cache| cache.apply(both.decoded(&object), &both.filter))),
        2 => drop(both.same(|cache| {
            let source = Source::List { wrote: None, newest: &newest };
            cache.take(&key, both.decoded(&object), &both.filter, source)
        })),
        3 => drop(both.same(|cache| cache.delete(both.decoded(&object), &both.filter))),
        4 => {
            if let Decoded::Valid(written, _) = both.decoded(&object) {
                both.same(|cache| cache.take_written(written.clone()).resource_version().to_owned());
            }
        }
        5 => both.same(|cache| cache.lock().discard(&key)),
        _ => {
            let uid = object["metadata"]["uid"].as_str().unwrap().to_owned();
            let status: BareStatus = serde_json::from_value(json!({ "observedGeneration": choices.range(1..4_i64),
                "conditions": [{ "type": "Ready", "status": choices.pick(&["True", "False"]), "reason": "A", "message": "" }] }))
            .unwrap();
            both.same(|cache| cache.store_status(&key, &uid, status.clone()));
        }
    }
}

fn law<K: Reconciled>(choices: &mut Choices, spec: &str) {
    let both = Both::new::<K>(choices.range(1..4_usize));
    let keys = ["x", "y", "z"].map(|name| Key::new(Some("a"), name));
    for _ in 0..60 {
        if choices.are_over() {
            return;
        }
        change(&both, choices, &keys, spec);
        both.compare(&keys);
    }
}

#[test]
fn a_compact_cache_answers_as_one_of_whole_objects() {
    each(100, |choices| law::<Thing>(choices, "spec"));
    each(100, |choices| law::<Bare<ConfigMap>>(choices, "data"));
}

#[test]
fn a_text_is_the_same_after_it_was_compressed() {
    let mut packer = Packer::default();
    for text in ["", "{}", &"é\u{1F600}".repeat(40_000), r#"{"a":"\u0000"}"#, "{}"] {
        let packed = packer.pack(text).unwrap();
        assert_eq!(packer.unpack(&packed).as_deref(), Ok(text));
    }
}

#[test]
fn idle_objects_are_not_decoded() {
    let both = Both::new::<Thing>(2);
    let object = |nth: u32| {
        json!({ "metadata": { "name": nth.to_string(), "namespace": "a", "uid": UIDS[0], "resourceVersion": "1" },
            "spec": { "size": 1 } })
    };
    let decoded: Vec<_> = (0..5).map(|nth| both.decoded(&object(nth))).collect();
    let weak: Vec<_> = decoded
        .iter()
        .map(|decoded| match decoded {
            Decoded::Valid(object, _) => Arc::downgrade(object),
            Decoded::Invalid(_) => panic!("it fits"),
        })
        .collect();
    decoded.into_iter().for_each(|object| drop(both.compact.apply(object, &both.filter)));
    let alive = || weak.iter().map(|object| object.strong_count() > 0).collect::<Vec<_>>();
    assert_eq!(alive(), [false, false, false, true, true]);
    let version = |nth: usize| both.compact.seen_version(&Key::new(Some("a"), &nth.to_string()));
    assert_eq!((0..5).map(version).collect::<Vec<_>>(), vec![Some("1".to_owned()); 5]);
    assert_eq!(alive(), [false, false, false, true, true], "a version needs no object");
    let first = both.compact.get(&Key::new(Some("a"), "0")).unwrap();
    assert_eq!(first.meta().name.as_deref(), Some("0"));
    assert_eq!(alive(), [false, false, false, false, true], "the one that was read longest ago makes room");
}
