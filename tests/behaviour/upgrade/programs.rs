//! The program before and after a new version of its kind.

use std::net::TcpListener;

use evenkeel::admission::WebhookTarget;
use evenkeel::prelude::*;
use evenkeel::{Operator, Replicas, WebhookServer};
use kube::Client;

/// The name of the CRD.
pub(crate) const CRD: &str = "shelves.upgrade.tests.evenkeel.dev";

/// The version that the old program stores.
pub(crate) mod v1alpha1 {
    use super::*;

    /// A shelf.
    #[derive(CustomResource, KubeSchema, Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
    #[kube(group = "upgrade.tests.evenkeel.dev", version = "v1alpha1", kind = "Shelf", plural = "shelves", namespaced)]
    #[kube(status = "super::v1::ShelfStatus")]
    pub(crate) struct ShelfSpec {
        /// How wide it is, in centimetres.
        pub(crate) width: u32,
    }
}

/// The version that the new program stores.
pub(crate) mod v1 {
    use super::*;

    /// A shelf.
    #[derive(CustomResource, KubeSchema, Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
    #[kube(group = "upgrade.tests.evenkeel.dev", version = "v1", kind = "Shelf", plural = "shelves", namespaced)]
    #[kube(status = "ShelfStatus")]
    #[serde(rename_all = "camelCase")]
    pub(crate) struct ShelfSpec {
        /// How wide it is, in millimetres.
        pub(crate) width_millimetres: u32,
    }

    #[status]
    pub(crate) struct ShelfStatus {
        /// The program that has reconciled it.
        pub(crate) program: Option<String>,
    }
}

#[convert(to = v1::Shelf, stash)]
impl v1alpha1::Shelf {
    fn up(old: v1alpha1::ShelfSpec) -> v1::ShelfSpec {
        v1::ShelfSpec { width_millimetres: old.width * 10 }
    }

    fn down(new: v1::ShelfSpec) -> v1alpha1::ShelfSpec {
        v1alpha1::ShelfSpec { width: new.width_millimetres / 10 }
    }
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum ShelfCondition {
    /// It was seen.
    #[condition(positive)]
    Seen,
}

mod old {
    use super::*;

    #[sub_reconciler(sets(on::Seen))]
    async fn see(shelf: &v1alpha1::Shelf, cx: &mut Cx) -> Result<(), ApiError> {
        cx.status().program = Some(format!("old, {} cm", shelf.spec.width));
        Ok(())
    }

    #[reconciler(conditions = ShelfCondition)]
    pub(super) async fn shelf(shelf: &v1alpha1::Shelf, cx: &mut Pass<'_>) -> PassResult {
        see(shelf, cx).await?;
        Ok(())
    }
}

mod new {
    use super::*;

    #[sub_reconciler(sets(on::Seen))]
    async fn see(shelf: &v1::Shelf, cx: &mut Cx) -> Result<(), ApiError> {
        cx.status().program = Some(format!("new, {} mm", shelf.spec.width_millimetres));
        Ok(())
    }

    #[reconciler(conditions = ShelfCondition, revision = 2)]
    pub(super) async fn shelf(shelf: &v1::Shelf, cx: &mut Pass<'_>) -> PassResult {
        see(shelf, cx).await?;
        Ok(())
    }
}

fn base(client: Client, namespace: &str) -> Operator {
    let replicas = Replicas { namespace: Some(namespace.to_owned()), ..Replicas::default() };
    Operator::new("shelves").test_client(client).namespaces([namespace]).replicas_with(replicas)
}

/// A replica of the old program.
pub(crate) fn old(client: Client, namespace: &str) -> Operator {
    base(client, namespace).reconciler::<old::shelf>(())
}

/// A replica of the new program, with a webhook server on loopback.
pub(crate) fn new(client: Client, namespace: &str) -> (Operator, WebhookTarget) {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = WebhookTarget::url(format!("https://{}", socket.local_addr().unwrap()));
    let server = WebhookServer::on(socket).target(target.clone());
    let operator = base(client, namespace).reconciler::<new::shelf>(()).serves::<v1alpha1::Shelf>();
    (operator.webhooks(server), target)
}
