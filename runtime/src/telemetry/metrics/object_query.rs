//! The query of the debug page: the objects to show, and how often the page refreshes itself.

use std::borrow::Cow;

use form_urlencoded::Serializer;
use serde::{Deserialize, Deserializer};

use crate::queue::Key;

/// The objects to show, from a query string (`kind=Widget&namespace=team-a&name=w&search=broken&limit=100`); an empty field matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct ObjectQuery {
    #[serde(default)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) namespace: String,
    #[serde(default)]
    pub(super) name: String,
    /// A text in the kind, the namespace, the name, the reconciler or a condition, in any case.
    #[serde(default)]
    pub(super) search: String,
    #[serde(default)]
    pub(super) state: State,
    /// The seconds after which a browser loads the page again; 0: not at all.
    #[serde(default, deserialize_with = "number::<0, _>")]
    pub(super) refresh: usize,
    /// The maximum number of objects.
    #[serde(default = "default_limit", deserialize_with = "number::<LIMIT, _>")]
    pub(super) limit: usize,
}

/// The objects in this state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum State {
    #[default]
    #[serde(alias = "")]
    All,
    NotReady,
    /// Objects that do not fit their type.
    Undecodable,
}

/// The default limit.
const LIMIT: usize = 500;
/// The offered refreshes, in seconds.
pub(super) const REFRESHES: [usize; 4] = [0, 5, 30, 300];

fn default_limit() -> usize {
    LIMIT
}

/// The default stands for a text that is not a number.
fn number<'de, const DEFAULT: usize, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    Ok(Cow::<str>::deserialize(deserializer)?.parse().unwrap_or(DEFAULT))
}

impl State {
    pub(super) const ALL: [Self; 3] = [Self::All, Self::NotReady, Self::Undecodable];

    /// The word in a query string.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::NotReady => "not-ready",
            Self::Undecodable => "undecodable",
        }
    }

    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::NotReady => "not ready",
            Self::Undecodable => "undecodable",
        }
    }
}

impl ObjectQuery {
    pub(super) fn wants(&self, key: &Key) -> bool {
        let fits = |asked: &str, is: &str| asked.is_empty() || asked == is;
        fits(&self.namespace, key.namespace.as_deref().unwrap_or_default()) && fits(&self.name, &key.name)
    }

    /// Whether more than the name of an object decides.
    pub(super) fn reads_rows(&self) -> bool {
        !self.search.is_empty() || self.state != State::All
    }

    /// The query string, without the fields that are not given.
    pub(super) fn encoded(&self) -> String {
        let mut query = Serializer::new(String::new());
        let texts =
            [("kind", &self.kind), ("namespace", &self.namespace), ("name", &self.name), ("search", &self.search)];
        for (field, value) in texts.into_iter().filter(|(_, value)| !value.is_empty()) {
            query.append_pair(field, value);
        }
        if self.state != State::All {
            query.append_pair("state", self.state.word());
        }
        if self.refresh > 0 {
            query.append_pair("refresh", &self.refresh.to_string());
        }
        query.finish()
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::Query;

    use super::*;

    fn of(query: &str) -> ObjectQuery {
        Query::try_from_uri(&format!("/debug/objects?{query}").parse().unwrap()).unwrap().0
    }

    #[test]
    fn a_query_names_kind_namespace_and_name() {
        let query = of("kind=Widget&namespace=a&name=w&limit=7&state=not-ready&refresh=5&search=%22x+y%22");
        assert_eq!((query.limit, query.state, query.refresh, &*query.search), (7, State::NotReady, 5, "\"x y\""));
        assert!(query.wants(&Key::new(Some("a"), "w")) && !query.wants(&Key::new(Some("b"), "w")));
        assert!(of("").wants(&Key::new(None, "x")) && of("limit=x").limit == LIMIT && of("refresh=").refresh == 0);
        assert_eq!(of("state=").state, State::All);
    }

    #[test]
    fn a_query_survives_its_own_encoding() {
        for text in ["", "kind=Widget&name=w", "search=%22%3Cb%3E+%26+c%22&state=undecodable&refresh=30"] {
            assert_eq!(of(&of(text).encoded()), of(text), "{text}");
        }
    }
}
