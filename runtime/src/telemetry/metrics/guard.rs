//! Who may read the pages other than probes: users whom the API server knows and who have the right to the path.

use std::sync::{Arc, OnceLock};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};

use crate::api::ApiError;
use crate::caller::{Access, bearer};

/// The paths of the pages about objects.
const DEBUG: &str = "/debug/";

const CLOSED: &str = "the debug pages are served at a loopback address, or with `--listen-auth`\n";
const NO_TOKEN: &str = "add the header `Authorization: Bearer <token>`, with a token of a service account\n";
const INVALID: &str = "the API server does not accept the token; it may have expired\n";
const STARTING: &str = "the operator has no client yet; try again\n";
const UNKNOWN: &str = "the API server could not check the token; see the log of the operator\n";

/// What the pages other than probes need.
#[derive(Clone, Default)]
pub(crate) enum Guard {
    /// Nothing.
    #[default]
    Open,
    /// A bearer token of a user with the right to the path. The client of the operator is made after the listener.
    Token(Arc<OnceLock<Access>>),
}

impl Guard {
    /// Asks for tokens from now on.
    pub(crate) fn with_tokens() -> Self {
        Self::Token(Arc::default())
    }

    pub(crate) const fn is_open(&self) -> bool {
        matches!(self, Self::Open)
    }

    /// Sets who checks tokens.
    pub(crate) fn check_by(&self, client: &kube::Client) {
        if let Self::Token(access) = self {
            access.get_or_init(|| Access::new(client.clone(), None));
        }
    }
}

/// Closes the debug pages of a listener that others can reach, unless it asks for tokens.
pub(super) async fn close_debug_pages(State(is_closed): State<bool>, request: Request, next: Next) -> Response {
    match is_closed && request.uri().path().starts_with(DEBUG) {
        true => (StatusCode::FORBIDDEN, CLOSED).into_response(),
        false => next.run(request).await,
    }
}

/// Lets a request pass whose user has the right to its path.
pub(super) async fn ask_for_token(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let Guard::Token(access) = guard else { return next.run(request).await };
    // A body cannot be shared between threads, and the check waits.
    let (token, path) = (bearer(request.headers()).map(ToOwned::to_owned), request.uri().path().to_owned());
    match checked(&access, token.as_deref(), &path).await {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal,
    }
}

async fn checked(access: &OnceLock<Access>, token: Option<&str>, path: &str) -> Result<(), Response> {
    let Some(token) = token else { return Err(unauthorized(NO_TOKEN)) };
    let starting = || (StatusCode::SERVICE_UNAVAILABLE, STARTING).into_response();
    let access = access.get().ok_or_else(starting)?;
    let user = access.user(token).await.map_err(|error| unknown(&error))?;
    let Some(user) = user else { return Err(unauthorized(INVALID)) };
    if access.allows_path(&user, path).await.map_err(|error| unknown(&error))? {
        return Ok(());
    }
    let name = user.username.unwrap_or_default();
    let text =
        format!("{name} may not get {path}; add a rule with `nonResourceURLs: [\"{path}\"]` to a cluster role\n");
    Err((StatusCode::FORBIDDEN, text).into_response())
}

fn unauthorized(text: &'static str) -> Response {
    let scheme = [(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))];
    (StatusCode::UNAUTHORIZED, scheme, text).into_response()
}

fn unknown(error: &ApiError) -> Response {
    let help = "the role of the operator needs `create` on tokenreviews and subjectaccessreviews; `rbac` prints it";
    tracing::warn!(%error, help, "a token for the listener could not be checked");
    (StatusCode::SERVICE_UNAVAILABLE, UNKNOWN).into_response()
}
