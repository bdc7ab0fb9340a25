//! Tokens of service accounts: good until they run out or what they stand for is gone.

use crate::registry::Storage;
use crate::state::{Server, User};
use crate::store::Key;
use crate::strategy::meta;

/// Whom tokens are for that name nobody else: the API server.
pub(crate) const AUDIENCE: &str = "https://kubernetes.default.svc";

/// Who asks with this token; nobody when it is for others, has run out or has lost what it was bound to.
pub(super) fn user(server: &Server, text: &str) -> Option<User> {
    let token = server.tokens.get(text)?;
    let stands = |(storage, key, uid): &(Storage, Key, String)| {
        server.store.get(storage, key).is_some_and(|object| meta(&object, "uid") == uid)
    };
    let good = token.audiences.iter().any(|audience| audience == AUDIENCE)
        && server.clock.now() < token.expires
        && token.bound.iter().all(stands);
    let (namespace, name) = token.account;
    good.then(|| User::named(&format!("system:serviceaccount:{namespace}:{name}")))
}
