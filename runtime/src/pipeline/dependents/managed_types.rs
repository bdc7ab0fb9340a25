//! The types that the dependents of a step serve without defining them: patterns of its attribute, and of the object.

use std::collections::BTreeSet;

use super::settings::settings_of;
use crate::dependent_rules::manifest::InvalidManifest;
use crate::dependent_rules::order::{InvalidTypePattern, TypePattern};
use crate::wiring::StepWiring;
use crate::wiring::handler::Erased;

/// A list of patterns of types, as texts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of texts",
    label = "not a list of patterns of types",
    note = "`manages` takes `Vec<String>` or `Option<Vec<String>>`, with texts such as `*.crossplane.io/*`"
)]
pub trait TypeList {
    /// The texts.
    fn texts(&self) -> Vec<String>;
}

impl TypeList for [String] {
    fn texts(&self) -> Vec<String> {
        self.to_vec()
    }
}

impl TypeList for Vec<String> {
    fn texts(&self) -> Vec<String> {
        self.clone()
    }
}

impl TypeList for BTreeSet<String> {
    fn texts(&self) -> Vec<String> {
        self.iter().cloned().collect()
    }
}

impl<T: TypeList> TypeList for Option<T> {
    fn texts(&self) -> Vec<String> {
        self.as_ref().map(T::texts).unwrap_or_default()
    }
}

impl<T: TypeList + ?Sized> TypeList for &T {
    fn texts(&self) -> Vec<String> {
        T::texts(self)
    }
}

/// The texts of a list.
pub fn type_texts<T: TypeList + ?Sized>(list: &T) -> Vec<String> {
    list.texts()
}

/// The types that the dependents of a step serve, each once: those of its attribute, which the macro has checked, and those of the object.
///
/// # Errors
/// A text of the object is no pattern.
pub(super) fn managed_types(step: &StepWiring, of_object: &[String]) -> Result<Vec<TypePattern>, InvalidManifest> {
    let mut all: Vec<TypePattern> = step.manages.iter().filter_map(|pattern| pattern.parse().ok()).collect();
    for text in of_object {
        let source = step.manages_of.unwrap_or("manages");
        let pattern = text
            .parse()
            .map_err(|error: InvalidTypePattern| InvalidManifest::new("the component", source, error.to_string()))?;
        if !all.contains(&pattern) {
            all.push(pattern);
        }
    }
    Ok(all)
}

/// The same for an object outside of the step.
pub(super) fn managed_types_of(step: &StepWiring, object: &Erased) -> Result<Vec<TypePattern>, InvalidManifest> {
    managed_types(step, &settings_of(step, object).manages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_may_be_absent() {
        let texts = vec!["a/B".to_owned()];
        assert_eq!((Some(texts.clone()).texts(), None::<Vec<String>>.texts()), (texts.clone(), Vec::new()));
        let set: BTreeSet<String> = texts.iter().cloned().collect();
        assert_eq!((texts.as_slice().texts(), set.texts()), (texts.clone(), texts));
    }

    #[test]
    fn patterns_of_the_attribute_and_of_the_object_add_up() {
        let step = StepWiring { manages: &["a.io/*", "b.io/B"], ..StepWiring::EMPTY };
        let all = managed_types(&step, &["b.io/B".into(), "c.io/C".into(), "c.io/C".into()]).unwrap();
        assert_eq!(all.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a.io/*", "b.io/B", "c.io/C"]);
    }

    #[test]
    fn an_unreadable_pattern_names_its_field_and_the_cure() {
        let step = StepWiring { manages_of: Some("spec.types"), ..StepWiring::EMPTY };
        let error = managed_types(&step, &["*r.io/*".into()]).unwrap_err().to_string();
        let expected =
            "the component: spec.types: `*r.io/*` is no pattern of types: write a group and a kind, such as ";
        assert!(error.starts_with(expected), "{error}");
    }
}
