//! The check of declared triggers: the result of a row must not depend on undeclared labels and annotations.

use std::collections::BTreeSet;
use std::sync::Arc;

use evenkeel::triggers::Undeclared;
use evenkeel::{ReconciledKind, Reconciler};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde_json::Value;

use super::Row;
use super::seen::Seen;
use crate::diff::diff;
use crate::seed::Seed;

impl Row {
    /// Runs the row without the labels and annotations whose changes do not trigger a pass of this reconciler.
    ///
    /// A body that reads one of them would use an old value. The different result shows that.
    ///
    /// Both compared runs use dependencies that a first run has already used, so that its side effects are the same for
    /// both.
    ///
    /// # Panics
    /// Panics if the results differ. The message contains the argument to declare.
    pub(super) async fn check_triggers<R>(self, deps: &Arc<R::Deps>)
    where
        R: Reconciler<Object: ReconciledKind>,
    {
        let mut undeclared = undeclared::<R>(&self.seed);
        if undeclared.is_empty() {
            return;
        }
        let with = self.clone().run::<R>(deps.clone()).await;
        let mut without = self.clone().without(&undeclared).run::<R>(deps.clone()).await;
        // The claim writes these again, and their changes trigger a pass without a declaration.
        let claimed = without.claimed();
        let declared = undeclared.len();
        undeclared.retain(|one| !claimed.contains(&one.path()));
        if undeclared.is_empty() {
            return;
        }
        if undeclared.len() < declared {
            without = self.clone().without(&undeclared).run::<R>(deps.clone()).await;
        }
        if let Some(difference) = difference(&with, &without) {
            let read = self.read::<R>(deps, &with, undeclared).await;
            panic!("{}", message::<R>(&self.name, &read, &difference));
        }
    }

    /// Returns those that change the result alone, or all of them if only a combination does.
    async fn read<R>(&self, deps: &Arc<R::Deps>, with: &Seen, undeclared: BTreeSet<Undeclared>) -> BTreeSet<Undeclared>
    where
        R: Reconciler<Object: ReconciledKind>,
    {
        let mut read = BTreeSet::new();
        for one in &undeclared {
            let without = self.clone().without(&BTreeSet::from([one.clone()])).run::<R>(deps.clone()).await;
            if difference(with, &without).is_some() {
                read.insert(one.clone());
            }
        }
        if read.is_empty() { undeclared } else { read }
    }

    fn without(mut self, undeclared: &BTreeSet<Undeclared>) -> Self {
        self.seed.each(&mut |object| undeclared.iter().for_each(|one| drop(take(object, one))));
        self
    }
}

fn take(object: &mut Value, one: &Undeclared) -> Option<Value> {
    let (pairs, name) = match one {
        Undeclared::Label(name) => ("labels", name),
        Undeclared::Annotation(name) => ("annotations", name),
    };
    object["metadata"].get_mut(pairs)?.as_object_mut()?.remove(name)
}

/// Returns the labels and annotations of the given objects that the reconciler does not declare as triggers.
fn undeclared<R: Reconciler>(seed: &Seed) -> BTreeSet<Undeclared> {
    let kind = R::Object::kind(&());
    let objects = seed.objects().filter(|object| object["kind"] == *kind);
    let metas = objects.filter_map(|object| serde_json::from_value::<ObjectMeta>(object["metadata"].clone()).ok());
    metas.flat_map(|meta| R::WIRING.undeclared(&meta)).collect()
}

fn difference(with: &Seen, without: &Seen) -> Option<String> {
    diff(&with.comparable(), &without.comparable())
}

fn message<R: Reconciler>(row: &str, read: &BTreeSet<Undeclared>, difference: &str) -> String {
    let (name, triggers) = (R::WIRING.name, R::WIRING.triggers);
    let names: Vec<String> = read.iter().map(ToString::to_string).collect();
    format!(
        "{row}: `{name}` reads {}, and a change of that triggers no pass, so it would act on an old value: declare `{}`\n\
         - with, + without\n{difference}",
        names.join(", "),
        triggers.declared_with(read.iter())
    )
}
