//! The grammar with names that shadow the standard library or are those of variables and functions.
#![allow(non_snake_case, dead_code, unused_imports, clippy::ptr_arg, reason = "names are free")]

use evenkeel::{Cx, Pass};

use super::northstar::{GitRepository, RepoError};

mod core {}
mod std {}
mod alloc {}
mod futures {}
mod tokio {}
mod evenkeel_macros {}
struct Result;
enum Option {}
struct Some;
struct None;
struct Err;
struct Vec;
struct Box;
struct Pin;
trait Send {}
trait Sync {}
trait Future {}
trait IntoFuture {}
trait Iterator {}
trait IntoIterator {}
trait From {}
trait Into {}
trait Try {}
fn Ok() {}
fn begin() {}
fn run() {}
fn finish() {}
fn hand() {}
fn step_of() {}
fn join() {}
fn skip() {}
fn both() {}
fn fork() {}
fn merge() {}
#[allow(unused_macros, reason = "names are free")]
macro_rules! join {
    () => {};
}
#[allow(unused_macros, reason = "names are free")]
macro_rules! vec {
    () => {};
}

type Said<T> = ::std::result::Result<T, RepoError>;

#[derive(evenkeel::ConditionSet)]
#[condition_set(mod = on)]
pub enum LocalCondition {
    #[condition(positive)]
    Done,
    #[condition(positive)]
    Tagged,
    #[condition(positive)]
    Ended,
    #[condition(positive)]
    Item,
}

#[evenkeel::sub_reconciler(sets(on::Done))]
async fn done(step: &GitRepository, cx: &mut Cx) -> Said<usize> {
    let _ = cx.status();
    ::std::result::Result::Ok(step.spec.url.len())
}

#[evenkeel::sub_reconciler(sets(on::Tagged))]
async fn tag(_object: &GitRepository, _done: usize, _cx: &mut Cx) -> Said<usize> {
    ::std::result::Result::Ok(1)
}

#[evenkeel::sub_reconciler(sets(on::Ended))]
async fn ends(_pass: &GitRepository, _cx: &mut Cx) -> Said<usize> {
    ::std::result::Result::Ok(2)
}

#[evenkeel::sub_reconciler(sets(on::Item))]
async fn items(_deps: &GitRepository, _items: &usize, _cx: &mut Cx) -> Said<()> {
    ::std::result::Result::Ok(())
}

#[evenkeel::reconciler(conditions = LocalCondition)]
pub async fn pass(object: &GitRepository, cx: &mut Pass<'_>) -> evenkeel::PassResult {
    let done = done(object, cx).await?;
    let (tag, ends) = join(tag(object, done, cx), ends(object, cx)).await?;
    for items_ in [tag, ends].iter() {
        items(object, items_, cx).await?;
    }
    ::std::result::Result::Ok(())
}

/// The object has the usual name of the context, and the context that of the object.
#[evenkeel::reconciler(conditions = LocalCondition)]
pub async fn swapped(
    cx: &GitRepository,
    tag: &u8,
    ends: &::std::string::String,
    object: &mut Pass<'_>,
) -> evenkeel::PassResult {
    let step: usize = if *tag == 1 && ends.is_empty() {
        let value = done(cx, object).await?;
        self::tag(cx, value, object).await?
    } else if let (pass, true) = (*tag, ends.len() == 1) {
        skip(self::tag, "One");
        let items = done(cx, object).await?;
        items + usize::from(pass)
    } else {
        skip(done, "None");
        self::tag(cx, 3, object).await?
    };
    let _deps = join(self::ends(cx, object), items(cx, &step, object)).await?;
    ::std::result::Result::Ok(())
}

pub struct Locals {
    done: usize,
}

#[evenkeel::reconciler(conditions = LocalCondition)]
impl Locals {
    pub async fn reconcile(&self, object: &GitRepository, cx: &mut Pass<'_>) -> evenkeel::PassResult {
        let done = self.done(object, cx).await?;
        let (items, ()) = join(self.tag(object, done, cx), self.ends(object, cx)).await?;
        if let (1, step) = (items, object) {
            for pass in [step.spec.url.len()] {
                self.items(object, pass, cx).await?;
            }
        } else {
            skip(self.items, "NotOne");
        }
        ::std::result::Result::Ok(())
    }

    #[evenkeel::sub_reconciler(sets(on::Done))]
    async fn done(&self, _step: &GitRepository, _cx: &mut Cx) -> Said<usize> {
        ::std::result::Result::Ok(self.done)
    }

    #[evenkeel::sub_reconciler(sets(on::Tagged))]
    async fn tag(&self, _object: &GitRepository, done: usize, _cx: &mut Cx) -> Said<usize> {
        ::std::result::Result::Ok(done)
    }

    #[evenkeel::sub_reconciler(sets(on::Ended))]
    async fn ends(&self, _pass: &GitRepository, _cx: &mut Cx) -> Said<()> {
        ::std::result::Result::Ok(())
    }

    #[evenkeel::sub_reconciler(sets(on::Item))]
    async fn items(&self, _deps: &GitRepository, _items: usize, _cx: &mut Cx) -> Said<()> {
        ::std::result::Result::Ok(())
    }
}

#[test]
fn shadowed_names_leave_every_step_in_the_wiring() {
    use evenkeel::Reconciler as _;
    let names = |steps: &'static [evenkeel::wiring::StepWiring]| [0, 1, 2, 3].map(|place: usize| steps[place].name);
    assert_eq!(names(pass::WIRING.steps), ["done", "tag", "ends", "items"]);
    assert_eq!(names(swapped::WIRING.steps), ["done", "tag", "ends", "items"]);
    assert_eq!(names(Locals::WIRING.steps), ["done", "tag", "ends", "items"]);
}
