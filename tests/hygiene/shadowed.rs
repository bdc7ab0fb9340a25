//! Types with the names of types in the standard library.
#![allow(non_snake_case, reason = "a function may be called `Ok`")]

use evenkeel::{Cx, Pass};

use super::northstar::{GitRepository, RepoError};

mod core {}
mod std {}
mod serde {}
mod schemars {}
mod kube {}
struct Result;
enum Option {}
struct Some;
struct None;
struct Err;
struct String;
struct Vec;
struct Box;
struct Default;
trait Send {}
trait Sync {}
trait Clone {}
trait Copy {}
trait Future {}
trait Iterator {}
fn Ok() {}

#[derive(evenkeel::ConditionSet)]
#[condition_set(mod = on, summary(Available(Checked, Sealed)))]
pub enum ShadowedCondition {
    #[condition(positive)]
    Checked,
    #[condition(bipolar, reasons(Fine = "All is well", Broken))]
    Sealed,
}

#[evenkeel::sub_reconciler(sets(on::Checked, on::Sealed))]
pub async fn check(_repo: &GitRepository, cx: &mut Cx) -> ::std::result::Result<(), RepoError> {
    cx.set(on::Sealed, evenkeel::condition::ConditionStatus::True, "Fine", "");
    ::std::result::Result::Ok(())
}

#[evenkeel::reconciler(conditions = ShadowedCondition, requeue = "1h30m")]
pub async fn shadowed(repo: &GitRepository, cx: &mut Pass<'_>) -> evenkeel::PassResult {
    check(repo, cx).await?;
    ::std::result::Result::Ok(())
}

struct ShadowedStruct;

#[evenkeel::reconciler(conditions = ShadowedCondition)]
impl ShadowedStruct {
    async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> evenkeel::PassResult {
        self.check(repo, cx).await?;
        ::std::result::Result::Ok(())
    }

    #[evenkeel::sub_reconciler(sets(on::Checked, on::Sealed))]
    async fn check(&self, _repo: &GitRepository, cx: &mut Cx) -> ::std::result::Result<(), RepoError> {
        cx.set(on::Sealed, evenkeel::condition::ConditionStatus::False, "Broken", "");
        ::std::result::Result::Ok(())
    }
}

/// The derive of schemars uses `Some` and `None` of the prelude; everything else may be shadowed.
mod status {
    mod core {}
    mod std {}
    struct Result;
    struct String;
    struct Vec;
    struct Box;
    struct Default;
    trait Clone {}
    trait Into {}

    #[evenkeel::status]
    pub struct ShadowedStatus {
        pub count: ::std::option::Option<u8>,
    }
}
