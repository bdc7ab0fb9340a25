//! Finds the properties of a schema by the names of Rust fields.

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use super::error::Problem;

/// Finds the property of the field `name`: in camelCase, as it is written, or with the same letters.
pub(crate) fn find<'s>(node: &'s JSONSchemaProps, name: &str) -> Result<(&'s str, &'s JSONSchemaProps), Problem> {
    static NONE: BTreeMap<String, JSONSchemaProps> = BTreeMap::new();
    let properties = node.properties.as_ref().unwrap_or(&NONE);
    let found = properties.get_key_value(&camel(name)).or_else(|| properties.get_key_value(name)).or_else(|| {
        let mut alike = properties.iter().filter(|(property, _)| letters(property) == letters(name));
        alike.next().filter(|_| alike.next().is_none())
    });
    found.map(|(name, node)| (name.as_str(), node)).ok_or_else(|| unknown(name, properties))
}

/// Finds the properties of a path, one in the other.
pub(crate) fn path(node: &JSONSchemaProps, names: &[&str]) -> Result<Vec<String>, Problem> {
    let mut at = node;
    let mut found = Vec::new();
    for name in names {
        let (property, inner) = find(at, name)?;
        found.push(property.to_owned());
        at = inner;
    }
    Ok(found)
}

/// The same for readers that print no rule. The error is what is missing, and the fix.
#[cfg(feature = "conversion")]
pub(crate) fn wire_path(node: &JSONSchemaProps, names: &[&str]) -> Result<Vec<String>, (String, String)> {
    path(node, names).map_err(|problem| (problem.what, problem.help))
}

fn camel(name: &str) -> String {
    let mut words = name.split('_').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut out, word| {
        let mut letters = word.chars();
        out.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        out.extend(letters);
        out
    })
}

fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn unknown(name: &str, properties: &BTreeMap<String, JSONSchemaProps>) -> Problem {
    let wanted = camel(name);
    let near = properties.keys().map(|property| (strsim::damerau_levenshtein(&wanted, property), property));
    let near = near.min().filter(|(distance, property)| *distance <= property.len().div_ceil(3));
    let help = match near {
        Some((_, property)) => {
            format!("did you mean `{property}`? A field needs a name in the schema that resembles its own")
        }
        None if properties.is_empty() => "use a field whose schema has properties".to_owned(),
        None => {
            let all: Vec<String> = properties.keys().map(|property| format!("`{property}`")).collect();
            format!("the schema has {}; a field needs a name in the schema that resembles its own", all.join(", "))
        }
    };
    Problem::new(format!("the schema has no `{wanted}`"), help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(names: &[&str]) -> JSONSchemaProps {
        let properties = names.iter().map(|name| ((*name).to_owned(), JSONSchemaProps::default())).collect();
        JSONSchemaProps { properties: Some(properties), ..JSONSchemaProps::default() }
    }

    #[test]
    fn fields_are_found_in_each_case_of_serde() {
        let schema = node(&["serviceAccount", "log-level", "MaxSize", "plain_name"]);
        for (name, wanted) in [
            ("service_account", "serviceAccount"),
            ("log_level", "log-level"),
            ("max_size", "MaxSize"),
            ("plain_name", "plain_name"),
        ] {
            assert_eq!(find(&schema, name).unwrap().0, wanted);
        }
    }

    #[test]
    fn an_unknown_field_gets_the_similar_property_or_the_list() {
        let help = |name: &str| find(&node(&["serviceAccount", "url"]), name).unwrap_err().help;
        assert!(help("servce_account").starts_with("did you mean `serviceAccount`?"));
        assert!(help("banana").starts_with("the schema has `serviceAccount`, `url`"));
    }

    #[test]
    fn two_properties_with_the_same_letters_are_ambiguous() {
        assert!(find(&node(&["a-b", "a.b"]), "a_b").is_err());
    }
}
