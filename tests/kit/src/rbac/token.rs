//! Service account tokens, which are valid until they expire or a bound object is deleted.

use crate::registry::Storage;
use crate::state::{Server, Token, User};
use crate::store::Key;
use crate::strategy::meta;

/// The default audience of tokens: the API server.
pub(crate) const AUDIENCE: &str = "https://kubernetes.default.svc";

/// The user of this token. `None` if it has a different audience, has expired, or a bound object was deleted.
pub(super) fn user(server: &Server, text: &str) -> Option<User> {
    let (user, token) = holder(server, text)?;
    token.audiences.iter().any(|audience| audience == AUDIENCE).then_some(user)
}

/// The user of this token for whatever audience, and its data. `None` if it has expired, or a bound object was deleted.
pub(super) fn holder(server: &Server, text: &str) -> Option<(User, Token)> {
    let token = server.tokens.get(text)?;
    let stands = |(storage, key, uid): &(Storage, Key, String)| {
        server.store.get(storage, key).is_some_and(|object| meta(&object, "uid") == uid)
    };
    let good = server.clock.now() < token.expires && token.bound.iter().all(stands);
    let (namespace, name) = &token.account;
    let user = User::named(&format!("system:serviceaccount:{namespace}:{name}"));
    good.then_some((user, token))
}
