//! The values of the policies.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The error for a text that is no value of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue {
    text: String,
    policy: &'static str,
    known: Vec<&'static str>,
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, policy, known } = self;
        write!(f, "`{text}` is not {policy}; write one of: {}", known.join(", "))
    }
}

impl std::error::Error for UnknownValue {}

/// An enum with one word for each variant. Each word also has a spelling in camel case, and may have former names.
macro_rules! words {
    ($(#[$doc:meta])* $type:ident, $name:literal { $($(#[$of:meta])* $variant:ident = $word:literal, $($other:literal),+;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$of])* $variant,)*
        }

        impl $type {
            /// All values, the default first.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
            /// Every accepted spelling.
            const SPELLINGS: &'static [&'static str] = &[$($word, $($other),+),*];

            /// The word in annotations and specs.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $type {
            type Err = UnknownValue;

            fn from_str(text: &str) -> Result<Self, UnknownValue> {
                match text {
                    $($word $(| $other)+ => Ok(Self::$variant),)*
                    _ => Err(UnknownValue {
                        text: text.to_owned(),
                        policy: $name,
                        known: Self::ALL.iter().map(|one| one.as_str()).collect(),
                    }),
                }
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": Self::SPELLINGS })
            }
        }
    };
}

words! {
    /// What happens if the object of a manifest exists already and is not a dependent of the component.
    AdoptionPolicy, "an adoption policy" {
        /// The object is taken over unless another owner is known.
        #[default]
        IfUnowned = "if-unowned", "IfUnowned";
        /// The object is never taken over.
        Never = "never", "Never";
        /// The object is taken over, from another owner, too.
        Always = "always", "Always";
    }
}

words! {
    /// Which changes cause an update of a dependent.
    ReconcilePolicy, "a reconcile policy" {
        /// A change of its manifest.
        #[default]
        OnObjectChange = "on-object-change", "OnObjectChange";
        /// A change of its manifest or of its component.
        OnObjectOrComponentChange = "on-object-or-component-change", "OnObjectOrComponentChange";
        /// None: the object is created if it is missing, and not changed afterwards.
        Once = "once", "Once";
    }
}

words! {
    /// How a dependent is updated.
    UpdatePolicy, "an update policy" {
        /// Server-side apply. Fields of others stay; fields that leave the manifest are removed.
        #[default]
        Apply = "apply", "Apply", "ssa-merge", "SsaMerge";
        /// Like `apply`. If a changed field is immutable, the object is deleted and created again.
        ApplyOrRecreate = "apply-or-recreate", "ApplyOrRecreate";
        /// Like `apply`. Fields that were set with kubectl become fields of the manifest first, so that they are removed.
        Override = "override", "Override", "ssa-override", "SsaOverride";
        /// The object is replaced as a whole, except for its finalizers and owner references.
        Replace = "replace", "Replace";
        /// The object is deleted and created again.
        Recreate = "recreate", "Recreate";
    }
}

words! {
    /// Whether a dependent is deleted when it is no longer wanted.
    DeletePolicy, "a delete policy" {
        /// It is deleted.
        #[default]
        Delete = "delete", "Delete";
        /// It stays.
        Orphan = "orphan", "Orphan";
        /// It stays when its manifest is gone. It is deleted together with its component.
        OrphanOnApply = "orphan-on-apply", "OrphanOnApply";
        /// It stays when its component is deleted. It is deleted when its manifest is gone.
        OrphanOnDelete = "orphan-on-delete", "OrphanOnDelete";
        /// For a Namespace: it is deleted with all objects in it, including those that are no dependents.
        DeleteWithContent = "delete-with-content", "DeleteWithContent";
    }
}

words! {
    /// What happens if the namespace of a dependent does not exist.
    MissingNamespacesPolicy, "a policy for missing namespaces" {
        /// It is created, and stays when the component is deleted.
        #[default]
        Create = "create", "Create";
        /// It is created as a dependent, and deleted with the others.
        Own = "own", "Own";
        /// The component waits until it exists.
        Refuse = "refuse", "Refuse", "do-not-create", "DoNotCreate";
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn each_word_is_parsed_in_both_spellings() {
        assert_eq!("IfUnowned".parse(), Ok(AdoptionPolicy::IfUnowned));
        for policy in UpdatePolicy::ALL {
            assert_eq!(policy.as_str().parse(), Ok(*policy));
            assert_eq!(from_value::<UpdatePolicy>(to_value(policy).unwrap()).unwrap(), *policy);
        }
        assert_eq!("ssa-merge".parse(), Ok(UpdatePolicy::Apply));
        assert_eq!("DoNotCreate".parse(), Ok(MissingNamespacesPolicy::Refuse));
        assert_eq!(AdoptionPolicy::ALL[0], AdoptionPolicy::default());
    }

    #[test]
    fn an_unknown_word_names_the_known_ones() {
        let error = "orphn".parse::<DeletePolicy>().unwrap_err().to_string();
        assert!(error.starts_with("`orphn` is not a delete policy; write one of: delete, orphan, "), "{error}");
        for text in ["", "Delete ", "DELETE"] {
            assert!(text.parse::<DeletePolicy>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_schema_lists_every_spelling() {
        let schema = to_value(schemars::schema_for!(AdoptionPolicy)).unwrap();
        assert_eq!(schema["enum"], json!(["if-unowned", "IfUnowned", "never", "Never", "always", "Always"]));
    }
}
