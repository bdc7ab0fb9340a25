//! The laws of conversions: right ones pass, and each sort of wrong one is found.

use evenkeel::conversion::Spoke;
use evenkeel::prelude::*;
use evenkeel_testkit::{conversion, conversion_with_rules};
use schemars::JsonSchema;

use super::kinds::{v1alpha1, v1beta1};
use super::policy::{limits_grow, not_too_often};

#[test]
fn nothing_is_lost_by_the_versions_of_these_tests() {
    conversion::<v1beta1::Repo>();
    conversion::<v1alpha1::Repo>();
}

/// The stored version of the wrong conversions.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(
    group = "law.tests.evenkeel.dev",
    version = "v1",
    kind = "Thing",
    plural = "things",
    namespaced,
    status = "NewStatus"
)]
pub(crate) struct NewSpec {
    #[schemars(length(max = 12))]
    name: String,
    #[schemars(length(max = 12))]
    note: Option<String>,
    choice: Option<Choice>,
    #[serde(default)]
    size: i32,
}

#[derive(JsonSchema, Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
enum Choice {
    Left(String),
    Right(String),
}

#[status]
pub(crate) struct NewStatus {
    revision: Option<String>,
}

/// An older version and its conversion: `old!(module, { fields }, arguments, { functions })`.
macro_rules! old {
    ($module:ident, { $($field:tt)* }, [$($arg:tt)*], { $($function:item)* }) => {
        mod $module {
            use super::*;

            #[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
            #[kube(group = "law.tests.evenkeel.dev", version = "v0", kind = "Thing", plural = "things", namespaced)]
            #[kube(status = "OldStatus")]
            pub(crate) struct OldSpec {
                $($field)*
            }

            #[derive(JsonSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
            #[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]
            pub(crate) struct OldStatus {
                pub(crate) revision: Option<String>,
            }

            #[convert(to = super::Thing $($arg)*)]
            impl Thing {
                $($function)*
            }
        }
    };
}

old!(loses, { #[schemars(length(max = 12))] name: String }, [], {
    fn up(old: OldSpec) -> NewSpec { NewSpec { name: old.name, ..NewSpec::default() } }
    fn down(new: NewSpec) -> OldSpec { OldSpec { name: new.name } }
});
old!(drops, { #[schemars(length(max = 12))] name: String, extra: Option<String> }, [, stash], {
    fn up(old: OldSpec) -> NewSpec { NewSpec { name: old.name, ..NewSpec::default() } }
    fn down(new: NewSpec) -> OldSpec { OldSpec { name: new.name, extra: None } }
});
old!(longer, { name: String }, [, stash], {
    fn up(old: OldSpec) -> NewSpec { NewSpec { name: old.name, ..NewSpec::default() } }
    fn down(new: NewSpec) -> OldSpec { OldSpec { name: new.name } }
});
old!(panics, { #[schemars(length(max = 12))] name: String }, [, stash], {
    fn up(old: OldSpec) -> NewSpec {
        assert!(old.name.len() < 3, "on purpose");
        NewSpec { name: old.name, ..NewSpec::default() }
    }
    fn down(new: NewSpec) -> OldSpec { OldSpec { name: new.name } }
});
old!(refuses, { name: Short }, [, stash], {
    fn up(old: OldSpec) -> NewSpec { NewSpec { name: old.name.0, ..NewSpec::default() } }
    fn down(new: NewSpec) -> OldSpec { OldSpec { name: Short(new.name) } }
});
// The name is that of the note, if there is one: a stash brings the note back, whatever the user has written.
old!(mixes, { #[schemars(length(max = 12))] name: String }, [, stash], {
    fn up(old: OldSpec) -> NewSpec { NewSpec { name: old.name, ..NewSpec::default() } }
    fn down(new: NewSpec) -> OldSpec { OldSpec { name: new.note.unwrap_or(new.name) } }
});
old!(loses_status, { #[schemars(length(max = 12))] name: String }, [, lossy(spec.note, spec.choice, spec.size)], {
    fn up(old: OldSpec) -> NewSpec { NewSpec { name: old.name, ..NewSpec::default() } }
    fn down(new: NewSpec) -> OldSpec { OldSpec { name: new.name } }
    fn up_status(old: OldStatus) -> NewStatus { NewStatus { revision: old.revision, ..NewStatus::default() } }
    fn down_status(new: NewStatus) -> OldStatus { OldStatus { revision: new.revision } }
});

/// A short name. The schema does not limit its length.
#[derive(JsonSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "String")]
struct Short(#[schemars(length(max = 12))] String);

impl TryFrom<String> for Short {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.len() > 2 { Err("it is too long") } else { Ok(Self(text)) }
    }
}

fn refused<S: Spoke>() -> String {
    let panic = std::panic::catch_unwind(conversion::<S>).unwrap_err();
    panic.downcast_ref::<String>().unwrap().clone()
}

const NAME: &str = "the conversion of Thing (law.tests.evenkeel.dev/v0)";

#[track_caller]
fn assert_message(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "no {part:?} in {message}");
    }
    assert!(message.starts_with(NAME) && message.contains("\n  help: "), "{message}");
}

#[test]
fn a_field_that_is_lost_is_found() {
    let message = refused::<loses::Thing>();
    assert_message(
        &message,
        &["`up(down(hub))` differs from the stored object at spec.", "\n  before: ", "\n  after: "],
    );
    assert_message(&message, &["keep it by `stash`, or declare `lossy(spec."]);
}

#[test]
fn a_status_that_is_lost_is_found() {
    let message = refused::<loses_status::Thing>();
    assert_message(&message, &["`up(down(hub))` differs from the stored object at status."]);
}

#[test]
fn a_field_of_the_served_version_that_is_dropped_is_found() {
    let message = refused::<drops::Thing>();
    assert_message(&message, &["`down(up(spoke))` differs from what was written at spec.extra\n  before: \""]);
    assert_message(&message, &["\n  after: null", "give the stored version a field for spec.extra"]);
}

#[test]
fn a_result_that_is_invalid_is_found() {
    let message = refused::<longer::Thing>();
    assert_message(
        &message,
        &["the result of `up` is invalid: spec.name", "give both versions the same limits and rules"],
    );
}

#[test]
fn a_panic_is_found() {
    assert_message(&refused::<panics::Thing>(), &["`down` panics", "help: return a default instead"]);
}

#[test]
fn a_result_that_does_not_fit_its_type_is_found() {
    let message = refused::<refuses::Thing>();
    assert_message(&message, &["`down` gets an object that does not fit its type: spec: name: it is too long"]);
}

#[test]
fn a_change_that_is_not_read_back_is_found() {
    let message = refused::<mixes::Thing>();
    assert_message(
        &message,
        &["a change of an object that was read before is not read back at spec.name\n  before: \""],
    );
    assert_message(&message, &["let `up` and `down` convert spec.name independently of what else the object has"]);
}

#[test]
fn a_rule_that_the_result_breaks_is_found() {
    let law = conversion_with_rules::<v1beta1::Repo, (not_too_often, limits_grow)>;
    let panic = std::panic::catch_unwind(law).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    let wanted = "the result of `up` is invalid: spec.everySeconds: ";
    assert!(message.contains(wanted) && message.contains("an interval has at least 10 seconds"), "{message}");
}
