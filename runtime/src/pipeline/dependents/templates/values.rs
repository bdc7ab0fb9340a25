//! The values that templates see.

use serde::Serialize;
use serde_json::Value;

use super::error::TemplateError;
use crate::dependent_rules::manifest::drop_nulls;

/// The values as JSON. Fields that are `null` are left out, so that `None` is a missing value in templates.
pub(crate) fn to_values(values: &(impl Serialize + ?Sized)) -> Result<Value, TemplateError> {
    let failed = |_| TemplateError::new("", None, "the values for the templates are no JSON; all keys must be texts");
    let mut values = serde_json::to_value(values).map_err(failed)?;
    if !values.is_object() {
        let cause = "the values for the templates have no names; pass a struct or a map";
        return Err(TemplateError::new("", None, cause));
    }
    drop_nulls(&mut values);
    Ok(values)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_is_a_missing_value() {
        let values = json!({ "a": null, "b": { "c": null, "d": [{ "e": null }, null] } });
        assert_eq!(to_values(&values), Ok(json!({ "b": { "d": [{}, null] } })));
    }

    #[test]
    fn values_need_names() {
        assert!(to_values(&[1, 2]).is_err());
        assert!(to_values(&std::collections::BTreeMap::from([((1, 2), 3)])).is_err());
    }
}
