//! The clusters of kubeconfigs, in which steps keep dependents of components of this cluster.

mod cluster;
mod keeper;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep};

pub(crate) use self::cluster::Cluster;
use self::cluster::uid_of;
pub(crate) use self::keeper::Keeper;
use super::shared::SharedWatches;
use crate::api::{ApiError, Kubeconfig};
use crate::client::{StepClient, client_of};
use crate::lock::Mutex;
use crate::queue::Key;
use crate::task::task;
use crate::wiring::How;

/// The time after which a cluster that no component uses is closed: its watches and its connections end.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// The most watches of other clusters that one reconciler has. Each one is a connection.
const MOST_WATCHES: usize = 1_000;

/// Fails if there is no room for the watches of these kinds in one more cluster.
fn check_room(watched: usize, kinds: usize) -> Result<(), ApiError> {
    if (watched + 1) * kinds <= MOST_WATCHES {
        return Ok(());
    }
    let text = format!(
        "{watched} other clusters with {kinds} kinds each are watched already, and {MOST_WATCHES} watches are the most; let another operator \
         serve some of the namespaces"
    );
    Err(ApiError::Failed(text.into()))
}

/// The open clusters of one reconciler. All clones share them.
#[derive(Clone)]
pub(crate) struct Clusters(Arc<Inner>);

struct Inner {
    keeper: Keeper,
    /// The watches of the cluster of the operator.
    here: SharedWatches,
    /// The uid of the cluster of the operator.
    own_uid: OnceCell<Arc<str>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: HashMap<Kubeconfig, Open>,
    /// The clusters that steps of a component use.
    uses: HashMap<Key, HashMap<&'static str, Kubeconfig>>,
}

struct Open {
    cluster: Arc<Cluster>,
    /// The number of steps of components that use it.
    users: usize,
    /// Since when it has no users.
    idle: Option<Instant>,
}

impl Clusters {
    pub(super) fn new(keeper: Keeper, here: SharedWatches) -> Self {
        Self(Arc::new(Inner { keeper, here, own_uid: OnceCell::new(), state: Mutex::default() }))
    }

    /// The cluster of a kubeconfig, which the step of the component uses from now on. Nothing is sent.
    ///
    /// # Errors
    /// The kubeconfig is refused. The message names the cure.
    pub(crate) async fn enter(
        &self,
        (component, step): (&Key, &'static str),
        kubeconfig: &Kubeconfig,
        own: &StepClient,
    ) -> Result<Arc<Cluster>, String> {
        let mut opened = None;
        loop {
            if let Some(cluster) = self.join((component, step), kubeconfig, opened.take()) {
                return Ok(cluster);
            }
            let client = client_of(kubeconfig, &self.0.keeper.operator.name, own.connect()).await?;
            opened = Some(Open { cluster: Arc::new(Cluster::new(client, own)), users: 0, idle: None });
        }
    }

    /// Records that the step of the component uses the cluster. `opened`: what is used if it is not open. `None`: it is not open.
    fn join(
        &self,
        (component, step): (&Key, &'static str),
        kubeconfig: &Kubeconfig,
        opened: Option<Open>,
    ) -> Option<Arc<Cluster>> {
        let mut state = self.0.state.lock();
        if let Some(opened) = opened {
            state.open.entry(kubeconfig.clone()).or_insert(opened);
        }
        let open = state.open.get_mut(kubeconfig)?;
        let cluster = open.cluster.clone();
        (open.users, open.idle) = (open.users + 1, None);
        let former = state.uses.entry(component.clone()).or_default().insert(step, kubeconfig.clone());
        let is_idle = former.is_some_and(|former| state.left(&former));
        drop(state);
        self.close_later(is_idle);
        Some(cluster)
    }

    /// Records that the step of the component uses no other cluster any more.
    pub(crate) fn leave(&self, component: &Key, step: &str) {
        let mut state = self.0.state.lock();
        let Some(uses) = state.uses.get_mut(component) else { return };
        let former = uses.remove(step);
        if uses.is_empty() {
            state.uses.remove(component);
        }
        let is_idle = former.is_some_and(|former| state.left(&former));
        drop(state);
        self.close_later(is_idle);
    }

    /// Records that the component is gone.
    pub(crate) fn leave_all(&self, component: &Key) {
        let mut state = self.0.state.lock();
        let former = state.uses.remove(component).unwrap_or_default();
        let is_idle = former.values().fold(false, |is_idle, former| state.left(former) | is_idle);
        drop(state);
        self.close_later(is_idle);
    }

    fn close_later(&self, is_idle: bool) {
        if !is_idle {
            return;
        }
        let inner = Arc::downgrade(&self.0);
        tokio::spawn(task(async move {
            sleep(IDLE).await;
            if let Some(inner) = inner.upgrade() {
                Self(inner).close_idle();
            }
        }));
    }

    fn close_idle(&self) {
        let is_over = |open: &Open| open.idle.is_some_and(|since| since.elapsed() >= IDLE);
        self.0.state.lock().open.retain(|_, open| !is_over(open));
    }

    /// Waits until the dependents in the cluster are listed. Its watches start with the first call.
    ///
    /// # Errors
    /// The cluster does not answer, or refuses a call, or too many are watched.
    pub(crate) async fn listed(&self, cluster: &Cluster) -> Result<(), ApiError> {
        if cluster.uid().is_none() {
            let watched = self.0.state.lock().open.values().filter(|open| open.cluster.uid().is_some()).count();
            let kept = self.0.keeper.wiring.relations().filter(|relation| relation.how == How::Keeps);
            check_room(watched, kept.count())?;
        }
        let own_uid = self.identify().await?;
        cluster.listed(&self.0.keeper, (&own_uid, self.0.here.streams())).await
    }

    /// The uid of the cluster of the operator, which is read once.
    ///
    /// # Errors
    /// The call failed.
    pub(crate) async fn identify(&self) -> Result<Arc<str>, ApiError> {
        self.0.own_uid.get_or_try_init(|| uid_of(self.0.here.client())).await.cloned()
    }

    /// The uid of the cluster of the operator, after the dependents in another one were listed.
    pub(crate) fn own_uid(&self) -> Option<&str> {
        self.0.own_uid.get().map(|uid| &**uid)
    }

    /// The clusters that components use, each once also if several kubeconfigs lead to it.
    #[cfg(feature = "metrics")]
    pub(crate) fn used(&self) -> Vec<Arc<Cluster>> {
        let state = self.0.state.lock();
        let used = state.open.values().filter(|open| open.users > 0).map(|open| open.cluster.clone());
        let by_uid = used.filter_map(|cluster| Some((cluster.uid()?.to_owned(), cluster)));
        by_uid.collect::<HashMap<_, _>>().into_values().collect()
    }

    /// The clusters that steps of the component use.
    pub(crate) fn of(&self, component: &Key) -> Vec<Arc<Cluster>> {
        let state = self.0.state.lock();
        let mut kubeconfigs: Vec<&Kubeconfig> = Vec::new();
        for kubeconfig in state.uses.get(component).into_iter().flat_map(HashMap::values) {
            if !kubeconfigs.contains(&kubeconfig) {
                kubeconfigs.push(kubeconfig);
            }
        }
        kubeconfigs.into_iter().filter_map(|one| Some(state.open.get(one)?.cluster.clone())).collect()
    }
}

impl State {
    /// One use of the cluster has ended. Returns whether it was the last one.
    fn left(&mut self, kubeconfig: &Kubeconfig) -> bool {
        let Some(open) = self.open.get_mut(kubeconfig) else { return false };
        open.users -= 1;
        open.idle = (open.users == 0).then(Instant::now);
        open.users == 0
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::queue::Queue;
    use crate::queue::meter::CallMeter;
    use crate::watch::Health;
    use crate::watch::streaming_list::Streaming;
    use crate::wiring::{KindInfo, OperatorNames, Wiring};

    const WIRING: Wiring = Wiring::EMPTY;

    fn kubeconfig(token: &str) -> Kubeconfig {
        Kubeconfig::new(&format!(
            "current-context: c\nclusters: [{{name: k, cluster: {{server: 'http://127.0.0.1:1'}}}}]\n\
             users: [{{name: u, user: {{token: {token}}}}}]\ncontexts: [{{name: c, context: {{cluster: k, user: u}}}}]\n"
        ))
    }

    #[test]
    fn a_reconciler_has_at_most_1000_watches_of_other_clusters() {
        assert!(check_room(124, 8).is_ok() && check_room(0, 1_000).is_ok());
        let refused = check_room(125, 8).unwrap_err().to_string();
        assert!(refused.starts_with("125 other clusters with 8 kinds each are watched already"), "{refused}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_cluster_is_closed_15_minutes_after_its_last_component_left() {
        let service = tower::service_fn(|_: http::Request<kube::client::Body>| async {
            Err::<http::Response<kube::client::Body>, _>(std::io::Error::other("nothing is sent"))
        });
        let client = kube::Client::new(service, "default");
        let own = StepClient::new(client.clone(), CallMeter::default());
        let (kind, queue) = (KindInfo::of::<ConfigMap>(), Queue::default());
        let keeper = Keeper { kind, wiring: &WIRING, operator: OperatorNames::new("tester"), queue };
        let clusters = Clusters::new(keeper, SharedWatches::new(client, Health::default(), Streaming::default()));
        let (a, b, old, new) = (Key::new(None, "a"), Key::new(None, "b"), kubeconfig("old"), kubeconfig("new"));
        let first = clusters.enter((&a, "install"), &old, &own).await.unwrap();
        for _ in 0..3 {
            let again = clusters.enter((&b, "install"), &old, &own).await.unwrap();
            assert!(Arc::ptr_eq(&first, &again));
        }
        // One leaves for another kubeconfig, the other one is gone.
        let second = clusters.enter((&b, "install"), &new, &own).await.unwrap();
        assert!(!Arc::ptr_eq(&first, &second));
        assert_eq!((clusters.of(&a).len(), clusters.of(&b).len()), (1, 1));
        clusters.leave_all(&a);
        let is_open = |kubeconfig: &Kubeconfig| clusters.0.state.lock().open.contains_key(kubeconfig);
        sleep(IDLE - Duration::from_secs(1)).await;
        assert!(is_open(&old));
        sleep(Duration::from_secs(2)).await;
        assert!(!is_open(&old) && is_open(&new) && clusters.of(&a).is_empty());
        // It is used again in time.
        clusters.leave(&b, "install");
        sleep(IDLE - Duration::from_secs(1)).await;
        clusters.enter((&a, "install"), &new, &own).await.unwrap();
        sleep(IDLE).await;
        assert!(is_open(&new));
    }
}
