//! The ServiceAccount as which the operator runs.

use k8s_openapi::api::core::v1::ServiceAccount;

use super::labels::Source;

/// Only pods that ask for it get a token: the Deployment does.
pub(super) fn service_account(source: Source<'_>) -> ServiceAccount {
    ServiceAccount {
        metadata: source.meta(""),
        automount_service_account_token: Some(false),
        ..ServiceAccount::default()
    }
}
