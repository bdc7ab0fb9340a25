//! The schemas of the recorded cases.

use serde_json::{Value, json};

use super::Structural;

/// The schema of `widgets.ex.dev`, which has every list and map type.
pub(crate) fn widget() -> Structural {
    Structural::parse(&widget_json()).unwrap()
}

/// The schema of `prunes.crd.dev`, which has every value validation, nulls and defaults.
pub(crate) fn prune() -> Structural {
    Structural::parse(&prune_json()).unwrap()
}

/// The schema of `frees.ex.dev`, which allows any field.
pub(crate) fn free() -> Structural {
    Structural::parse(&json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})).unwrap()
}

/// A schema with the one property `x` under `spec`.
pub(crate) fn with_x(x: &Value) -> Value {
    json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}, "x": x}}}})
}

fn widget_json() -> Value {
    json!({
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {
                    "size": {"type": "integer", "minimum": 0, "maximum": 100},
                    "replicas": {"type": "integer", "format": "int32", "default": 1},
                    "color": {"type": "string", "enum": ["red", "green", "blue"]},
                    "label": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 8},
                    "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                    "ports": {
                        "type": "array",
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["port", "protocol"],
                        "items": {
                            "type": "object",
                            "required": ["port"],
                            "properties": {
                                "port": {"type": "integer"},
                                "protocol": {"type": "string", "default": "TCP"},
                                "name": {"type": "string"}
                            }
                        }
                    },
                    "env": {
                        "type": "array",
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"],
                        "items": {
                            "type": "object",
                            "required": ["name"],
                            "properties": {"name": {"type": "string"}, "value": {"type": "string"}}
                        }
                    },
                    "plainList": {"type": "array", "items": {"type": "string"}},
                    "dict": {"type": "object", "additionalProperties": {"type": "string"}},
                    "atom": {
                        "type": "object",
                        "x-kubernetes-map-type": "atomic",
                        "properties": {"a": {"type": "string"}, "b": {"type": "string"}}
                    },
                    "nested": {
                        "type": "object",
                        "properties": {
                            "a": {"type": "string"},
                            "b": {"type": "string"},
                            "c": {"type": "object", "properties": {"d": {"type": "string"}}}
                        }
                    },
                    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                    "port": {"x-kubernetes-int-or-string": true},
                    "note": {"type": "string", "nullable": true}
                }
            },
            "status": widget_status_json()
        }
    })
}

fn widget_status_json() -> Value {
    json!({
        "type": "object",
        "properties": {
            "phase": {"type": "string"},
            "replicas": {"type": "integer"},
            "selector": {"type": "string"},
            "observedGeneration": {"type": "integer"},
            "conditions": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["type"],
                "items": {
                    "type": "object",
                    "required": ["type", "status"],
                    "properties": {
                        "type": {"type": "string"},
                        "status": {"type": "string"},
                        "reason": {"type": "string"},
                        "message": {"type": "string"}
                    }
                }
            }
        }
    })
}

fn prune_json() -> Value {
    json!({
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {
                    "a": {"type": "string"},
                    "nul": {"type": "string", "nullable": true},
                    "nuld": {"type": "string", "nullable": true, "default": "d"},
                    "dn": {"type": "string", "default": "d"},
                    "obj": {"type": "object", "default": {}, "properties": {"x": {"type": "integer", "default": 5}}},
                    "obj2": {"type": "object", "properties": {"x": {"type": "integer", "default": 5}}},
                    "list": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"k": {"type": "string"}, "v": {"type": "string", "default": "dv"}}
                        }
                    },
                    "free": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": true,
                        "properties": {"known": {"type": "object", "properties": {"y": {"type": "string"}}}}
                    },
                    "ios": {"x-kubernetes-int-or-string": true},
                    "ios2": {
                        "anyOf": [{"type": "integer"}, {"type": "string"}],
                        "x-kubernetes-int-or-string": true,
                        "pattern": "^[0-9]+%$"
                    },
                    "emb": {
                        "type": "object",
                        "x-kubernetes-embedded-resource": true,
                        "x-kubernetes-preserve-unknown-fields": true
                    },
                    "map": {
                        "type": "object",
                        "additionalProperties": {"type": "object", "properties": {"m": {"type": "string"}}}
                    },
                    "dt": {"type": "string", "format": "date-time"},
                    "qty": {"type": "string", "format": "byte"},
                    "i32": {"type": "integer", "format": "int32"},
                    "num": {"type": "number"},
                    "ml": {"type": "array", "maxItems": 1, "items": {"type": "string"}},
                    "mp": {"type": "object", "maxProperties": 1, "additionalProperties": {"type": "string"}},
                    "mult": {"type": "integer", "multipleOf": 3},
                    "one": {
                        "type": "object",
                        "properties": {"p": {"type": "string"}, "q": {"type": "string"}},
                        "oneOf": [{"required": ["p"]}, {"required": ["q"]}]
                    },
                    "en": {"type": "integer", "enum": [1, 2]},
                    "ex": {"type": "integer", "minimum": 0, "exclusiveMinimum": true}
                }
            },
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}}
        }
    })
}
