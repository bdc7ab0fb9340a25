//! Field owners through the server, against a model of flat fields: what each writer gets, keeps and loses.

use std::collections::{BTreeMap, BTreeSet};

use evenkeel_random_cases::{Choices, each_paused};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Map, Value, json};

use crate::Cluster;

const CASES: u64 = 40;
const STEPS: usize = 25;

/// A field by the map it is in and its key.
type Field = (&'static str, &'static str);
type Fields = BTreeMap<Field, &'static str>;
/// The fields of each writer; an applier is another one than an updater of the same name.
type Owners = BTreeMap<(String, String), BTreeSet<Field>>;

/// The maps of a `ConfigMap` that are filled, and what is filled in.
const MAPS: [&str; 3] = ["data", "labels", "annotations"];
const KEYS: [&str; 3] = ["a", "b", "c"];
/// One more in each map, which stays unchanged, so that no map appears or disappears as a whole.
const FIXED: &str = "fixed";

/// What a server has to make of it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    fields: Fields,
    owners: Owners,
}

impl Model {
    /// An apply; `None` when it conflicts.
    fn apply(&self, manager: &str, config: &Fields, force: bool) -> Option<Self> {
        let id = (manager.to_owned(), "Apply".to_owned());
        let mut new = self.clone();
        let mine = new.owners.remove(&id).unwrap_or_default();
        let differs = |field: &Field| config.get(field).is_some_and(|value| self.fields.get(field) != Some(value));
        for theirs in new.owners.values_mut() {
            if theirs.iter().any(differs) && !force {
                return None;
            }
            theirs.retain(|field| !differs(field));
        }
        let owned: BTreeSet<Field> = new.owners.values().flatten().copied().collect();
        for released in mine.iter().filter(|field| !config.contains_key(*field) && !owned.contains(*field)) {
            new.fields.remove(released);
        }
        new.fields.extend(config);
        new.owners.insert(id, config.keys().copied().collect());
        Some(new.tidied())
    }

    /// Any other write, of these fields or their removal.
    fn update(&self, manager: &str, change: &BTreeMap<Field, Option<&'static str>>) -> Self {
        let mut new = self.clone();
        let is_changed =
            |field: &Field| change.get(field).is_some_and(|value| self.fields.get(field) != value.as_ref());
        new.owners.values_mut().for_each(|theirs| theirs.retain(|field| !is_changed(field)));
        for (field, value) in change.iter().filter(|(field, _)| is_changed(field)) {
            match value {
                None => _ = new.fields.remove(field),
                Some(value) => {
                    new.fields.insert(*field, value);
                    new.owners.entry((manager.to_owned(), "Update".to_owned())).or_default().insert(*field);
                }
            }
        }
        new.tidied()
    }

    fn tidied(mut self) -> Self {
        self.owners.retain(|_, fields| !fields.is_empty());
        self
    }

    /// What an object shows of it.
    fn of(object: &Value) -> Self {
        let mut model = Self::default();
        let inside =
            |value: &Value, map: &str| if map == "data" { value[map].clone() } else { value["metadata"][map].clone() };
        for map in MAPS {
            for key in KEYS {
                if let Some(value) = inside(object, map)[key].as_str() {
                    model.fields.insert((map, key), ["1", "2"].into_iter().find(|known| *known == value).unwrap());
                }
            }
        }
        for entry in object["metadata"]["managedFields"].as_array().into_iter().flatten() {
            let word = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
            let fields = &entry["fieldsV1"];
            let spelled = |map: &str| format!("f:{map}");
            let has = |(map, key): &Field| {
                let place = if *map == "data" { &fields["f:data"] } else { &fields["f:metadata"][spelled(map)] };
                place.get(spelled(key)).is_some()
            };
            let all = MAPS.into_iter().flat_map(|map| KEYS.map(|key| (map, key)));
            model.owners.insert((word("manager"), word("operation")), all.filter(has).collect());
        }
        model.tidied()
    }
}

fn value(choices: &mut Choices) -> &'static str {
    choices.pick(&["1", "2"])
}

fn some(choices: &mut Choices, share: f64) -> Vec<Field> {
    let all = MAPS.into_iter().flat_map(|map| KEYS.map(|key| (map, key)));
    all.filter(|_| choices.chance(share)).collect()
}

/// A body with these fields.
fn body(fields: impl IntoIterator<Item = (Field, Value)>) -> Value {
    let mut maps: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for ((map, key), value) in fields {
        maps.entry(map).or_default().insert(key.to_owned(), value);
    }
    let mut body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    for (map, content) in maps {
        let place = if map == "data" { &mut body[map] } else { &mut body["metadata"][map] };
        *place = content.into();
    }
    body
}

async fn started() -> (Cluster, Api<ConfigMap>, Value) {
    let cluster = Cluster::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let fixed = serde_json::from_value(body(MAPS.map(|map| ((map, FIXED), json!("1"))))).unwrap();
    let made =
        maps.create(&PostParams { field_manager: Some("maker".to_owned()), ..PostParams::default() }, &fixed).await;
    (cluster, maps, serde_json::to_value(made.unwrap()).unwrap())
}

/// One write by chance, on the server and on the model; what both then are.
async fn step(maps: &Api<ConfigMap>, model: &Model, choices: &mut Choices) -> (kube::Result<ConfigMap>, Option<Model>) {
    let manager = choices.pick(&["m", "n", "o"]);
    if choices.chance(0.3) {
        let change: BTreeMap<Field, Option<&str>> =
            some(choices, 0.3).into_iter().map(|field| (field, choices.chance(0.6).then(|| value(choices)))).collect();
        let patch = Patch::Merge(body(change.iter().map(|(field, value)| (*field, json!(value)))));
        let params = PatchParams { field_manager: Some(manager.to_owned()), ..PatchParams::default() };
        return (maps.patch("a", &params, &patch).await, Some(model.update(manager, &change)));
    }
    let force = choices.chance(0.4);
    let config: Fields = some(choices, 0.3).into_iter().map(|field| (field, value(choices))).collect();
    let patch = Patch::Apply(body(config.iter().map(|(field, value)| (*field, json!(value)))));
    let params = PatchParams { force, ..PatchParams::apply(manager) };
    (maps.patch("a", &params, &patch).await, model.apply(manager, &config, force))
}

#[test]
fn owners_and_values_are_those_of_the_model_and_only_changes_take_versions() {
    each_paused(CASES, async |choices| {
        let (_cluster, maps, mut live) = started().await;
        let mut model = Model::default();
        for at in 0..STEPS {
            if choices.are_over() {
                break;
            }
            let (answer, expected) = step(&maps, &model, choices).await;
            let Some(expected) = expected else {
                assert!(matches!(answer, Err(kube::Error::Api(status)) if status.is_conflict()), "step {at}");
                continue;
            };
            let object = serde_json::to_value(answer.unwrap_or_else(|error| panic!("step {at}: {error}"))).unwrap();
            assert_eq!(Model::of(&object), expected, "step {at}");
            let kept = object["metadata"]["resourceVersion"] == live["metadata"]["resourceVersion"];
            assert_eq!(kept, expected == model, "step {at}: a version is taken when and only when something changes");
            (model, live) = (expected, object);
        }
    });
}

#[test]
fn an_apply_said_again_keeps_the_version_and_its_release_leaves_what_others_have() {
    each_paused(CASES, async |choices| {
        let (_cluster, maps, _) = started().await;
        let mut model = Model::default();
        for _ in 0..4 {
            model = step(&maps, &model, choices).await.1.unwrap_or(model);
        }
        let config: Fields = some(choices, 0.5).into_iter().map(|field| (field, value(choices))).collect();
        let patch = Patch::Apply(body(config.iter().map(|(field, value)| (*field, json!(value)))));
        let params = PatchParams::apply("a").force();
        let once = maps.patch("a", &params, &patch).await.unwrap();
        let again = maps.patch("a", &params, &patch).await.unwrap();
        assert_eq!(once, again);
        let released = maps.patch("a", &params, &Patch::Apply(body([]))).await.unwrap();
        let others: Owners = Model::of(&serde_json::to_value(&once).unwrap()).owners;
        let mut left = model.apply("a", &config, true).unwrap();
        assert_eq!(left.owners, others);
        left = left.apply("a", &Fields::new(), true).unwrap();
        assert_eq!(Model::of(&serde_json::to_value(&released).unwrap()), left);
    });
}
