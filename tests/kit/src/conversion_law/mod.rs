//! Checks that a conversion between two versions loses nothing, on random objects.

mod laws;
mod objects;
mod places;
mod side;
mod subject;

use evenkeel::conversion::Spoke;
use evenkeel::rules::{Registered, Rules};

use self::laws::Law;
use self::objects::Objects;
use self::subject::Subject;

/// The random objects for each law.
const CASES: usize = 500;

/// Checks the conversion of a served version.
///
/// It uses random objects of the schemas of both versions, which are the same in each run. These rules hold for each of them:
///
/// - What is read in the served version and written back unchanged changes nothing: `up(down(hub)) == hub`. Paths in `lossy(..)` are left out.
/// - What is written in the served version is read back: `down(up(spoke)) == spoke`.
/// - The same for a change of an object that was read before, so that a stash does not override what a user writes.
/// - The results are valid in the schema of their version, with its validation rules.
/// - Names, uids, labels and annotations stay as they are.
/// - No function panics.
///
/// Defaults of the schemas are applied on both sides. Objects that are valid in their schema, but do not fit their type, are left out.
///
/// ```
/// use evenkeel::prelude::*;
/// # mod v1 {
/// #     use evenkeel::prelude::*;
/// #     #[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
/// #     #[kube(group = "example.com", version = "v1", kind = "Repository", namespaced)]
/// #     pub struct RepositorySpec { pub url: String, pub secret_name: Option<String> }
/// # }
/// # mod v1beta1 {
/// #     use evenkeel::prelude::*;
/// #     #[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
/// #     #[kube(group = "example.com", version = "v1beta1", kind = "Repository", namespaced)]
/// #     pub struct RepositorySpec { pub url: String, pub secret: Option<String> }
/// # }
///
/// #[convert(to = v1::Repository)]
/// impl v1beta1::Repository {
///     fn up(old: v1beta1::RepositorySpec) -> v1::RepositorySpec {
///         v1::RepositorySpec { url: old.url, secret_name: old.secret }
///     }
///     fn down(new: v1::RepositorySpec) -> v1beta1::RepositorySpec {
///         v1beta1::RepositorySpec { url: new.url, secret: new.secret_name }
///     }
/// }
///
/// // In a test:
/// evenkeel_testkit::conversion::<v1beta1::Repository>();
/// ```
///
/// # Panics
/// A rule does not hold, or no random object fits the kind. The message names the version, the path, both values and the fix.
#[track_caller]
pub fn conversion<S: Spoke>() {
    assert_holds(check::<S>(&[]));
}

/// Like [`conversion`], where the stored version also has these [rules](crate::rules): the API server does not check them for writes in the
/// served version.
///
/// # Panics
/// As for [`conversion`], or if a rule cannot be printed.
#[track_caller]
pub fn conversion_with_rules<S: Spoke, R: Rules>() {
    assert_holds(check::<S>(&R::registered()));
}

#[track_caller]
fn assert_holds(checked: Result<(), String>) {
    if let Err(failure) = checked {
        panic!("{failure}");
    }
}

fn check<S: Spoke>(rules: &[Registered]) -> Result<(), String> {
    let subject = Subject::new::<S>(rules)?;
    let mut objects = Objects::new(&subject);
    for law in [Law::HubIsUnchanged, Law::SpokeIsUnchanged, Law::ChangeIsReadBack] {
        for _ in 0..CASES {
            law.check(&subject, &mut objects)?;
        }
    }
    Ok(())
}
