//! Service account tokens, which are valid until they expire or a bound object is deleted.

use crate::registry::Storage;
use crate::state::{Server, User};
use crate::store::Key;
use crate::strategy::meta;

/// The default audience of tokens: the API server.
pub(crate) const AUDIENCE: &str = "https://kubernetes.default.svc";

/// The user of this token. `None` if it has a different audience, has expired, or a bound object was deleted.
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
