//! What a step does with its set of dependents.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::converge::{converge, keep};
use super::error::DependentsError;
use super::lookup::calls_of;
use super::result::{Converges, Dependents};
use super::site::Site;
use super::wanted::Wanted;
use crate::api::{ApiError, BoxFuture, DependentCalls};
use crate::condition::{ConditionStatus, Polarity};
use crate::dependent_rules::manifest::ObjectId;
use crate::kind::{Kind, KindInfo, typed};
use crate::pipeline::context::{Cx, undecoded};
use crate::pipeline::permission::KeptBy;
use crate::pipeline::state::PassState;
use crate::pipeline::step::SubReconciler;

/// The future of [`Cx::converge`](crate::Cx::converge) and [`Cx::keep`](crate::Cx::keep).
#[must_use = "futures do nothing unless awaited"]
pub struct Converge<'a>(BoxFuture<'a, Result<Dependents, DependentsError>>);

impl Future for Converge<'_> {
    type Output = Result<Dependents, DependentsError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl std::fmt::Debug for Converge<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Converge")
    }
}

impl<S> Cx<'_, S> {
    /// Lets the calls of the step act at this site from now on.
    #[doc(hidden)]
    pub fn act_at(&mut self, site: Site) -> BoxFuture<'_, ()> {
        let (state, _) = self.parts();
        Box::pin(act_at(state, site))
    }
}

async fn act_at(state: &mut PassState, site: Site) {
    let (step, backend) = (state.step_name(), state.backend.clone());
    if backend.dependents().is_some_and(DependentCalls::ignores_sites) {
        return;
    }
    let found = site.of_step(state.namespace.as_deref());
    let found = found.map_err(|why| format!("the site of the step `{step}` is invalid: {why}"));
    state.site = Some(site);
    if let Some(calls) = backend.dependents() {
        calls.act_at(step, found).await;
    }
}

// The bound is on the methods: rustc would not use its message otherwise.
impl<S: SubReconciler> Cx<'_, S> {
    /// An empty set of objects, to be filled and handed to [`converge`](Self::converge).
    #[must_use]
    pub fn wanted(&self) -> Wanted<S>
    where
        S: Converges,
    {
        Wanted::new()
    }

    /// Creates, updates and purges the objects of the set, until it has to wait for some of them.
    ///
    /// Objects are created and updated wave by wave. A wave starts when all objects of the one before are ready. Objects that no set of the
    /// component has any more are removed after the last step, if all steps succeeded.
    ///
    /// The first condition of `sets(..)` says whether the objects are applied, and the second, if there is one, whether they are ready.
    ///
    /// # Errors
    /// An object cannot be applied, or is not ready yet. A change of the object triggers a pass.
    pub fn converge(&mut self, wanted: Wanted<S>) -> Converge<'_>
    where
        S: Converges,
    {
        let (state, marks) = self.parts();
        Converge(Box::pin(async move {
            let ended = converge(state, S::WIRING.relations, wanted.parts).await;
            mark(state, S::WIRING.sets, marks, &ended);
            ended
        }))
    }

    /// Leaves the objects of the set as they are in this pass. Nothing is written.
    ///
    /// # Errors
    /// An object of the set is not ready.
    pub fn keep(&mut self) -> Converge<'_>
    where
        S: Converges,
    {
        let (state, marks) = self.parts();
        Converge(Box::pin(async move {
            let ended = keep(state).await;
            mark(state, S::WIRING.sets, marks, &ended);
            ended
        }))
    }
}

// A bound of the impl, as the kind has to name the step.
impl<S: SubReconciler> Cx<'_, S> {
    /// An object of the set as it is now, for example the address that a Service was given. `None`: it is not there.
    ///
    /// The name is looked up in the namespace of objects that name none. The kind needs `cache = full` in `dependents(..)`: its objects are
    /// cached then, and every change of one triggers a pass.
    ///
    /// ```ignore
    /// #[sub_reconciler(sets(on::Applied), dependents(Service(cache = full)))]
    /// async fn install(shop: &Shop, cx: &mut Cx) -> Result<(Dependents, Option<String>), ShopError> {
    ///     let mut wanted = cx.wanted();
    ///     wanted.add(&web(shop));
    ///     let dependents = cx.converge(wanted).await?;
    ///     let web = cx.dependent::<Service>(&dependents, "web")?;
    ///     Ok((dependents, web.and_then(|web| web.spec?.cluster_ip)))
    /// }
    /// ```
    ///
    /// # Errors
    /// The object cannot be decoded as its type.
    pub fn dependent<K: Kind + KeptBy<S>>(&mut self, of: &Dependents, name: &str) -> Result<Option<K>, ApiError> {
        let (state, _) = self.parts();
        let site = state.site.clone().unwrap_or_default();
        let namespace = site.namespace_for(state.namespace.as_deref()).map(ToOwned::to_owned);
        cached(state, *of, namespace, name)
    }

    /// The same in another namespace.
    ///
    /// # Errors
    /// Same as [`dependent`](Self::dependent).
    pub fn dependent_in<K: Kind + KeptBy<S>>(
        &mut self,
        of: &Dependents,
        namespace: &str,
        name: &str,
    ) -> Result<Option<K>, ApiError> {
        cached(self.parts().0, *of, Some(namespace.to_owned()), name)
    }
}

/// A cached object of the set, which has converged.
fn cached<K: Kind>(
    state: &PassState,
    _: Dependents,
    namespace: Option<String>,
    name: &str,
) -> Result<Option<K>, ApiError> {
    let KindInfo { resource, namespaced } = KindInfo::of::<K>();
    let (group, kind) = (resource.group.clone(), resource.kind.clone());
    let id = ObjectId { group, kind, namespace: namespace.filter(|_| namespaced), name: name.to_owned() };
    let found = calls_of(&*state.backend)?.cached(state.step_name(), &id);
    found.map(|object| typed(&object).map_err(|error| undecoded(&id.to_string(), &error))).transpose()
}

/// What a step has said about its conditions: those that it set itself, and the one that an error marks.
type Marks<'a> = (&'a mut u64, &'a mut Option<usize>);

/// An error about readiness marks the second condition of the step. The first one, that the objects are applied, is True then.
fn mark(
    state: &mut PassState,
    sets: &[usize],
    (set_bits, named): Marks<'_>,
    ended: &Result<Dependents, DependentsError>,
) {
    let ([applied, ready, ..], Err(error)) = (sets, ended) else { return };
    if !error.is_about_readiness() {
        return;
    }
    if state.polarity(*applied) == Polarity::Positive {
        *set_bits |= 1 << applied;
        state.set(*applied, ConditionStatus::True, "Succeeded", "");
    }
    *named = Some(*ready);
}
