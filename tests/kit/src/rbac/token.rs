//! Tokens of service accounts: given out on request, good until they run out or what they stand for is gone.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use uuid::Uuid;

use super::User;
use crate::registry::Storage;
use crate::server::Server;
use crate::store::Key;
use crate::strategy::meta;

/// Whom tokens are for that name nobody else: the API server.
pub(crate) const AUDIENCE: &str = "https://kubernetes.default.svc";

/// The tokens that were given out.
#[derive(Debug, Default)]
pub(crate) struct Tokens(Mutex<HashMap<String, Token>>);

/// What one token stands for.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// The namespace and name of the service account.
    pub(crate) account: Key,
    pub(crate) audiences: Vec<String>,
    pub(crate) expires: Timestamp,
    /// The objects whose end is the token's, with the uids they had.
    pub(crate) bound: Vec<(Storage, Key, String)>,
}

impl Tokens {
    /// A new token for this.
    pub(crate) fn give(&self, token: Token) -> String {
        let text = format!("evenkeel-testkit.{}", Uuid::new_v4());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(text.clone(), token);
        text
    }

    /// Who asks with this token; nobody when it is for others, has run out or has lost what it was bound to.
    pub(super) fn user(server: &Server, text: &str) -> Option<User> {
        let token = server.tokens.0.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned()?;
        let stands = |(storage, key, uid): &(Storage, Key, String)| {
            server.store.get(storage, key).is_some_and(|object| meta(&object, "uid") == uid)
        };
        let good = token.audiences.iter().any(|audience| audience == AUDIENCE)
            && server.clock.now() < token.expires
            && token.bound.iter().all(stands);
        let (namespace, name) = token.account;
        good.then(|| User::named(&format!("system:serviceaccount:{namespace}:{name}")))
    }
}
