//! One element of a path into an object, in the notation of `FieldsV1`.

use std::fmt;

use serde_json::Value;

/// One element of a path. Keys and items are stored as compact JSON, as in `FieldsV1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    /// A member of an object: `f:name`.
    Field(String),
    /// An item of a list map, by its key fields in the order of their names: `k:{"name":"x"}`.
    Key(String),
    /// An item of a set, by its value: `v:"x"`.
    Item(String),
    /// An item by its position: `i:0`. This crate never writes these, but clients may.
    Index(i64),
}

impl Element {
    pub(crate) fn field(name: &str) -> Self {
        Self::Field(name.to_owned())
    }

    /// The item of a list map with the key `fields`, which must be sorted by name.
    pub(crate) fn key<'a>(fields: impl Iterator<Item = (&'a str, &'a Value)>) -> Self {
        // Formatted here, since the order of a serde_json map depends on a feature that any crate may enable.
        let members: Vec<_> = fields.map(|(name, value)| format!("{}:{value}", Value::from(name))).collect();
        Self::Key(format!("{{{}}}", members.join(",")))
    }

    pub(crate) fn item(value: &Value) -> Self {
        Self::Item(value.to_string())
    }

    /// Parses a member name of `FieldsV1`. Returns `Ok(None)` for an unknown kind of element, which can be ignored.
    ///
    /// # Errors
    /// If the text is not a path element.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, String> {
        let malformed = || format!("malformed path element {text:?}");
        let (kind, rest) = text.split_once(':').filter(|(kind, _)| kind.len() == 1).ok_or_else(malformed)?;
        let json = || serde_json::from_str::<Value>(rest).map_err(|_| malformed());
        Ok(Some(match kind {
            "f" => Self::field(rest),
            "i" => Self::Index(rest.parse().map_err(|_| malformed())?),
            "v" => Self::item(&json()?),
            "k" => {
                let json = json()?;
                let mut fields: Vec<_> = json.as_object().ok_or_else(malformed)?.iter().collect();
                fields.sort_by_key(|(name, _)| *name);
                Self::key(fields.into_iter().map(|(name, value)| (name.as_str(), value)))
            }
            _ => return Ok(None),
        }))
    }

    /// The member name in `FieldsV1`.
    pub(crate) fn encode(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(json) => format!("k:{json}"),
            Self::Item(json) => format!("v:{json}"),
            Self::Index(index) => format!("i:{index}"),
        }
    }
}

/// The notation in messages: `.name`, `[name="x"]`, `[="x"]`, `[0]`.
impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(json) => write!(f, "[{}]", key_text(json)),
            Self::Item(json) => write!(f, "[={json}]"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

fn key_text(json: &str) -> String {
    let Ok(Value::Object(fields)) = serde_json::from_str(json) else { return json.to_owned() };
    let mut texts: Vec<_> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    texts.sort();
    texts.join(",")
}

/// A whole path as in messages, such as `.spec.env[name="A"].value`.
pub(crate) fn path_text(path: &[Element]) -> String {
    path.iter().map(ToString::to_string).collect()
}
