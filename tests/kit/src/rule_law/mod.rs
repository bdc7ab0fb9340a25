//! Compares rules of evenkeel with their CEL on random objects.

mod case;
mod cases;
mod hints;
mod silent;
mod simplify;
mod subject;

use evenkeel::rules::{Registered, Rules};

use self::case::Difference;
use self::cases::Cases;
use self::subject::Subject;

/// The pairs of objects for each rule.
const CASES: usize = 1_000;

/// Checks that each rule means the same in Rust and in CEL, and that an API server accepts its cost.
///
/// The type is a rule, or a tuple of rules as in `Operator::rules`. The random objects have the schema of the kind, and the literals of the rule
/// among their values. They are the same in each run. Where the function panics, for example when a number overflows, nothing is compared.
///
/// ```
/// use evenkeel::prelude::*;
/// # use schemars::JsonSchema;
///
/// #[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
/// #[kube(group = "example.com", version = "v1", kind = "Repository", namespaced)]
/// pub struct RepositorySpec {
///     pub url: String,
///     pub secret: Option<String>,
/// }
///
/// #[rule(of = Repository, at = spec, message = "a repository with a login uses https")]
/// fn login_is_encrypted(new: &RepositorySpec) -> bool {
///     new.secret.is_none() || new.url.starts_with("https://")
/// }
///
/// // In a test:
/// evenkeel_testkit::rules::<login_is_encrypted>();
/// ```
///
/// # Panics
/// A rule cannot be printed, an API server rejects it, the two forms differ, or no random object fits the kind. The message names the rule and
/// the simplest pair of objects that was found.
#[track_caller]
pub fn rules<R: Rules>() {
    let failures: Vec<String> = R::registered().iter().filter_map(|rule| check(rule).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Returns what is wrong with a rule.
fn check(rule: &Registered) -> Result<(), String> {
    let subject = Subject::new(rule)?;
    let mut cases = Cases::new(&subject);
    let mut is_compared = false;
    for _ in 0..CASES {
        let case = cases.next()?;
        match subject.compare(&case) {
            Ok(compared) => is_compared |= compared,
            Err(_) => return Err(described(&subject, simplify::simplest(&subject, case))),
        }
    }
    match is_compared {
        true => Ok(()),
        false => Err(format!("{}: the function has no result for any random object", subject.name)),
    }
}

fn described(subject: &Subject<'_>, Difference { case, rust, cel }: Difference) -> String {
    let mut text = format!("{}: Rust {rust}, and CEL {cel}\n  rule: {}", subject.name, subject.text);
    let request = subject.is_policy().then_some(&case.request);
    for (name, value) in [("new", Some(&case.new)), ("old", case.old.as_ref()), ("request", request)] {
        if let Some(value) = value {
            text += &format!("\n  {name}: {value}");
        }
    }
    text
}
