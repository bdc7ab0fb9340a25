//! The tokens of service accounts that were given out.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use uuid::Uuid;

use crate::registry::Storage;
use crate::store::Key;

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

    /// What a token stands for.
    pub(crate) fn get(&self, text: &str) -> Option<Token> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned()
    }
}
