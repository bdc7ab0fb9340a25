//! Formats of Rust's numbers in the schema of a CRD. Kubernetes knows few of them, and an API server warns of each other one.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

/// The numbers for which schemars writes a format that Kubernetes does not know.
///
/// Source: the formats that the API server accepts without a warning,
/// <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation>.
const UNKNOWN: [&str; 10] =
    ["int", "int8", "int16", "int128", "uint", "uint8", "uint16", "uint32", "uint64", "uint128"];

/// Removes the formats of numbers that an API server would warn of. The limits of the types remain, and `u32` gets its upper one: for smaller
/// types schemars writes both, and larger numbers are no integers for an API server.
pub(crate) fn remove_unknown_formats(definition: &mut CustomResourceDefinition) {
    let schemas = definition.spec.versions.iter_mut().filter_map(|version| version.schema.as_mut());
    schemas.filter_map(|schema| schema.open_api_v3_schema.as_mut()).for_each(remove);
}

fn remove(schema: &mut JSONSchemaProps) {
    let removed = schema.format.take_if(|format| UNKNOWN.contains(&format.as_str()));
    if removed.as_deref() == Some("uint32") {
        schema.maximum.get_or_insert(f64::from(u32::MAX));
    }
    schema.properties.iter_mut().flatten().for_each(|(_, field)| remove(field));
    if let Some(JSONSchemaPropsOrArray::Schema(item)) = &mut schema.items {
        remove(item);
    }
    if let Some(JSONSchemaPropsOrBool::Schema(value)) = &mut schema.additional_properties {
        remove(value);
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::{Value, json};

    use super::*;

    /// Numbers of all types.
    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, kube::CustomResource)]
    #[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Number", crates(kube_core = "kube::core"))]
    struct NumberSpec {
        byte: u8,
        small: i16,
        usual: i32,
        long: Option<i64>,
        count: Vec<u32>,
        by_name: std::collections::BTreeMap<String, u64>,
        ratio: f64,
    }

    #[test]
    fn only_formats_that_kubernetes_knows_remain() {
        let mut definition = <Number as kube::CustomResourceExt>::crd();
        remove_unknown_formats(&mut definition);
        let schema = json!(definition.spec.versions[0].schema);
        let at = |path: &str| schema.pointer(&format!("/openAPIV3Schema/properties/spec/properties/{path}")).cloned();
        let formats = ["usual", "long", "ratio", "byte", "small", "count/items", "by_name/additionalProperties"]
            .map(|path| at(path).unwrap_or_else(|| panic!("no {path}"))["format"].clone());
        let known = [json!("int32"), json!("int64"), json!("double")];
        assert_eq!(formats, [&known[..], &[Value::Null, Value::Null, Value::Null, Value::Null]].concat()[..]);
        let limits = |path| ["minimum", "maximum"].map(|limit| at(path).unwrap()[limit].as_f64());
        assert_eq!(limits("byte"), [Some(0.0), Some(255.0)]);
        assert_eq!(limits("count/items"), [Some(0.0), Some(4_294_967_295.0)]);
        assert_eq!(limits("by_name/additionalProperties"), [Some(0.0), None]);
    }
}
