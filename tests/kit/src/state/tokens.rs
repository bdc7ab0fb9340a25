//! The issued tokens of service accounts.

use std::collections::HashMap;

use jiff::Timestamp;
use uuid::Uuid;

use crate::lock::Mutex;
use crate::registry::Storage;
use crate::store::Key;

/// The issued tokens.
#[derive(Debug, Default)]
pub(crate) struct Tokens(Mutex<HashMap<String, Token>>);

/// The identity and the validity of one token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// The namespace and name of the service account.
    pub(crate) account: Key,
    pub(crate) audiences: Vec<String>,
    pub(crate) expires: Timestamp,
    /// The objects to which the token is bound, with their uids. Their deletion invalidates the token.
    pub(crate) bound: Vec<(Storage, Key, String)>,
}

impl Tokens {
    /// Issues a new token.
    pub(crate) fn give(&self, token: Token) -> String {
        let text = format!("evenkeel-testkit.{}", Uuid::new_v4());
        self.0.lock().insert(text.clone(), token);
        text
    }

    /// Returns the data of a token.
    pub(crate) fn get(&self, text: &str) -> Option<Token> {
        self.0.lock().get(text).cloned()
    }
}
