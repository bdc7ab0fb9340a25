//! Who sends a request, and whether the user may do it: a TokenReview, and a SubjectAccessReview.

use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, UserInfo};
#[cfg(feature = "metrics")]
use k8s_openapi::api::authorization::v1::NonResourceAttributes;
#[cfg(feature = "routes")]
use k8s_openapi::api::authorization::v1::ResourceAttributes;
use k8s_openapi::api::authorization::v1::{SubjectAccessReview, SubjectAccessReviewSpec};
use kube::api::PostParams;
use kube::{Api, Client};

use super::recent::Recent;
use crate::api::ApiError;

/// Asks the API server about users and their rights, and stores its answers for 10 seconds.
pub(crate) struct Access {
    client: Client,
    /// For whom tokens must be issued: a token for another program is not accepted. `None`: for the API server.
    audience: Option<String>,
    users: Recent<Option<UserInfo>>,
    rights: Recent<bool>,
}

impl Access {
    pub(crate) fn new(client: Client, audience: Option<String>) -> Self {
        Self { client, audience, users: Recent::new(), rights: Recent::new() }
    }

    #[cfg(feature = "routes")]
    pub(crate) fn audience(&self) -> &str {
        self.audience.as_deref().unwrap_or_default()
    }

    /// The user of the token; `None` if the token is not valid for this audience.
    pub(crate) async fn user(&self, token: &str) -> Result<Option<UserInfo>, ApiError> {
        self.users.or_ask(token.as_bytes(), self.review_token(token)).await
    }

    async fn review_token(&self, token: &str) -> Result<Option<UserInfo>, ApiError> {
        let audiences = self.audience.clone().map(|audience| vec![audience]);
        let spec = TokenReviewSpec { audiences, token: token.to_owned() };
        let review = TokenReview { spec, ..TokenReview::default() };
        let answer = Api::<TokenReview>::all(self.client.clone()).create(&PostParams::default(), &review).await?;
        let status = answer.status.unwrap_or_default();
        // A server without audiences leaves them out, and has checked the token for itself only.
        let is_ours = |own: &String| status.audiences.iter().flatten().any(|audience| audience == own);
        let is_for_us = self.audience.as_ref().is_none_or(is_ours);
        let user = status.user.filter(|user| user.username.as_ref().is_some_and(|name| !name.is_empty()));
        Ok(user.filter(|_| status.authenticated == Some(true) && is_for_us))
    }

    /// Whether the user has the right to a resource.
    #[cfg(feature = "routes")]
    pub(crate) async fn allows(&self, user: &UserInfo, right: ResourceAttributes) -> Result<bool, ApiError> {
        self.has(SubjectAccessReviewSpec { resource_attributes: Some(right), ..of(user) }).await
    }

    /// Whether the user may get a path that is no resource.
    #[cfg(feature = "metrics")]
    pub(crate) async fn allows_path(&self, user: &UserInfo, path: &str) -> Result<bool, ApiError> {
        let right = NonResourceAttributes { path: Some(path.to_owned()), verb: Some("get".to_owned()) };
        self.has(SubjectAccessReviewSpec { non_resource_attributes: Some(right), ..of(user) }).await
    }

    async fn has(&self, spec: SubjectAccessReviewSpec) -> Result<bool, ApiError> {
        // Texts and lists only: they can be written as JSON.
        let question = serde_json::to_vec(&spec).unwrap_or_default();
        self.rights.or_ask(&question, self.review_access(spec)).await
    }

    async fn review_access(&self, spec: SubjectAccessReviewSpec) -> Result<bool, ApiError> {
        let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
        let api = Api::<SubjectAccessReview>::all(self.client.clone());
        let status = api.create(&PostParams::default(), &review).await?.status.unwrap_or_default();
        Ok(status.allowed && status.denied != Some(true))
    }
}

/// A question about this user.
fn of(user: &UserInfo) -> SubjectAccessReviewSpec {
    SubjectAccessReviewSpec {
        extra: user.extra.clone(),
        groups: user.groups.clone(),
        uid: user.uid.clone(),
        user: user.username.clone(),
        ..SubjectAccessReviewSpec::default()
    }
}
