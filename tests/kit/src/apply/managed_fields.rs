//! `metadata.managedFields`: the owners of field paths.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::actor::{Actor, Rules};
use super::fields;
use super::set::Set;

/// The identity of an entry. Applies of one manager share an entry regardless of their API version; updates do not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id {
    pub(crate) manager: String,
    pub(crate) operation: Operation,
    /// Empty for an apply.
    pub(crate) api_version: String,
    pub(crate) subresource: String,
}

/// The operation that created an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Server-side apply.
    Apply,
    /// Any other write.
    Update,
}

impl Operation {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "Apply" => Some(Self::Apply),
            "Update" => Some(Self::Update),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

impl Id {
    pub(crate) fn apply(actor: &Actor<'_>) -> Self {
        Self { api_version: String::new(), ..Self::update(actor.manager, actor).with(Operation::Apply) }
    }

    pub(crate) fn update(manager: &str, actor: &Actor<'_>) -> Self {
        Self {
            manager: manager.to_owned(),
            operation: Operation::Update,
            api_version: actor.api_version.to_owned(),
            subresource: match actor.rules {
                Rules::Today => actor.subresource.unwrap_or_default().to_owned(),
                Rules::Before122 => String::new(),
            },
        }
    }

    fn with(self, operation: Operation) -> Self {
        Self { operation, ..self }
    }
}

/// The fields that one manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) set: Set,
    pub(crate) api_version: String,
    /// RFC 3339, exactly as written; absent if the writer changed only ownership.
    pub(crate) time: Option<String>,
}

impl Entry {
    /// The time in seconds, which determines the order of entries; 0 if absent.
    pub(crate) fn seconds(&self) -> i64 {
        let time = self.time.as_deref().and_then(|time| time.parse::<Timestamp>().ok());
        time.map_or(0, Timestamp::as_second)
    }
}

/// The `managedFields` of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ledger {
    pub(crate) entries: BTreeMap<Id, Entry>,
}

impl Ledger {
    /// The ledger of an object; an undecodable one counts as empty.
    pub(crate) fn of(obj: &Value) -> Self {
        obj.pointer("/metadata/managedFields").and_then(|list| Self::decode(list).ok()).unwrap_or_default()
    }

    /// Parses `managedFields`.
    ///
    /// # Errors
    /// If any entry is malformed; all entries are then ignored.
    pub(crate) fn decode(list: &Value) -> Result<Self, String> {
        let list = list.as_array().ok_or("managedFields is not a list")?;
        let entries = list.iter().map(decode_entry).collect::<Result<_, _>>()?;
        Ok(Self { entries })
    }

    /// Writes the ledger to an object: applies first, then by time, then by name. If the ledger is empty, the field is removed.
    pub(crate) fn write(&self, obj: &mut Value) {
        let list = self.encode();
        let metadata = obj
            .as_object_mut()
            .and_then(|map| map.entry("metadata").or_insert_with(|| Value::Object(Map::new())).as_object_mut());
        let Some(metadata) = metadata else { return };
        if list.is_empty() {
            metadata.remove("managedFields");
        } else {
            metadata.insert("managedFields".to_owned(), list.into());
        }
    }

    fn encode(&self) -> Vec<Value> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|(id, entry)| {
            (id.operation, entry.seconds(), &id.manager, &entry.api_version, &id.subresource)
        });
        entries.into_iter().map(|(id, entry)| encode_entry(id, entry)).collect()
    }

    pub(crate) fn drop_empty(&mut self) {
        self.entries.retain(|_, entry| !entry.set.is_empty());
    }

    /// Whether both ledgers have the same owners of the same paths; times are ignored.
    pub(crate) fn is_same_but_times(&self, other: &Self) -> bool {
        let set = |entry: &Entry| (entry.set.clone(), entry.api_version.clone());
        self.entries.len() == other.entries.len()
            && self.entries.iter().all(|(id, entry)| other.entries.get(id).map(set) == Some(set(entry)))
    }
}

fn decode_entry(json: &Value) -> Result<(Id, Entry), String> {
    let text = |name: &str| json.get(name).and_then(Value::as_str).unwrap_or_default();
    let operation =
        Operation::parse(text("operation")).ok_or_else(|| format!("unknown operation {:?}", text("operation")))?;
    if text("fieldsType") != "FieldsV1" || text("apiVersion").is_empty() {
        return Err("an entry needs fieldsType FieldsV1 and an apiVersion".to_owned());
    }
    let set = json.get("fieldsV1").filter(|fields| !fields.is_null()).map_or(Ok(Set::default()), fields::decode)?;
    let id = Id {
        manager: text("manager").to_owned(),
        operation,
        api_version: if operation == Operation::Apply { String::new() } else { text("apiVersion").to_owned() },
        subresource: text("subresource").to_owned(),
    };
    let time = json.get("time").and_then(Value::as_str).map(str::to_owned);
    Ok((id, Entry { set, api_version: text("apiVersion").to_owned(), time }))
}

fn encode_entry(id: &Id, entry: &Entry) -> Value {
    let mut json = Map::new();
    json.insert("apiVersion".to_owned(), entry.api_version.as_str().into());
    json.insert("fieldsType".to_owned(), "FieldsV1".into());
    json.insert("fieldsV1".to_owned(), fields::encode(&entry.set));
    json.insert("manager".to_owned(), id.manager.as_str().into());
    json.insert("operation".to_owned(), id.operation.name().into());
    if !id.subresource.is_empty() {
        json.insert("subresource".to_owned(), id.subresource.as_str().into());
    }
    if let Some(time) = &entry.time {
        json.insert("time".to_owned(), time.as_str().into());
    }
    json.into()
}

/// The object without `metadata.managedFields`.
pub(super) fn without_ledger(obj: &Value) -> Value {
    let mut obj = obj.clone();
    if let Some(metadata) = obj.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    obj
}
