//! The objects of the operator's kinds, page by page, for the commands that look at all of them.

use kube::api::{ApiResource, DynamicObject, ListParams, ObjectList};
use kube::{Api, Client};

use super::print::progress;
use crate::introspection::ReconcilerInfo;
use crate::wiring::KindInfo;

/// How many objects a request returns.
const PAGE: u32 = 500;

/// The reconcilers of each kind, in the order in which the kinds were added.
pub(super) fn by_kind(all: &[ReconcilerInfo]) -> Vec<Vec<ReconcilerInfo>> {
    let mut kinds: Vec<Vec<ReconcilerInfo>> = Vec::new();
    for known in all {
        match kinds.iter_mut().find(|kind| kind[0].kind == known.kind) {
            Some(kind) => kind.push(known.clone()),
            None => kinds.push(vec![known.clone()]),
        }
    }
    kinds
}

/// Where the objects of a kind are: in these namespaces, or in the whole cluster.
pub(super) fn places(client: &Client, kind: &KindInfo, namespaces: &[impl AsRef<str>]) -> Vec<Api<DynamicObject>> {
    let resource: &ApiResource = &kind.resource;
    if !kind.namespaced || namespaces.is_empty() {
        return vec![Api::all_with(client.clone(), resource)];
    }
    namespaces.iter().map(|namespace| Api::namespaced_with(client.clone(), namespace.as_ref(), resource)).collect()
}

/// Hands each object to the function, and shows the progress with the plural of the kind.
///
/// # Errors
/// A page cannot be listed.
pub(super) async fn each<T: Clone>(
    plural: &str,
    list: impl AsyncFn(&ListParams) -> Result<ObjectList<T>, kube::Error>,
    mut function: impl FnMut(T),
) -> Result<(), kube::Error> {
    let (mut params, mut count) = (ListParams::default().limit(PAGE), 0);
    loop {
        progress(&format!("listing {plural}: {count}"));
        let page = list(&params).await?;
        count += page.items.len();
        page.items.into_iter().for_each(&mut function);
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(()),
        }
    }
}

/// The namespace and the name of an object, as `namespace/name`.
pub(super) fn place_of(metadata: &kube::api::ObjectMeta) -> String {
    let namespace = metadata.namespace.iter().fold(String::new(), |_, namespace| format!("{namespace}/"));
    format!("{namespace}{}", metadata.name.as_deref().unwrap_or_default())
}
