//! The objects as a base of kustomize, with a component for each optional part and an overlay to start from.

use std::io;

use super::document::{Document, Part};
use super::folder::Folder;

/// A base, components, and the overlay `overlays/example`, which users edit.
///
/// # Errors
/// An object cannot be written as YAML.
pub(crate) fn kustomization(documents: &[Document], image: &str) -> io::Result<Folder> {
    let mut folder = Folder::default();
    let (optional, required): (Vec<Document>, Vec<Document>) =
        documents.iter().cloned().partition(|document| document.part.is_optional());
    let base = Folder::of_parts(&required)?;
    // In the order in which they are applied.
    let files: Vec<String> = Part::ALL.map(file).into_iter().filter(|file| base.files.contains_key(file)).collect();
    folder.files.insert("base/kustomization.yaml".to_owned(), list("v1beta1", "Kustomization", &files));
    folder.files.extend(base.files.into_iter().map(|(path, text)| (format!("base/{path}"), text)));
    let mut components = Vec::new();
    for part in Part::ALL.into_iter().filter(|part| part.is_optional()) {
        let own: Vec<Document> = optional.iter().filter(|document| document.part == part).cloned().collect();
        for (path, text) in Folder::of_parts(&own)?.files {
            let place = format!("components/{}", part.as_str());
            folder.files.insert(
                format!("{place}/kustomization.yaml"),
                list("v1alpha1", "Component", std::slice::from_ref(&path)),
            );
            folder.files.insert(format!("{place}/{path}"), text);
            components.push(part);
        }
    }
    folder.samples.insert("overlays/example/kustomization.yaml".to_owned(), overlay(&components, image));
    Ok(folder)
}

fn file(part: Part) -> String {
    format!("{}.yaml", part.as_str())
}

fn list(version: &str, kind: &str, resources: &[String]) -> String {
    let resources: String = resources.iter().map(|path| format!("- {path}\n")).collect();
    format!("apiVersion: kustomize.config.k8s.io/{version}\nkind: {kind}\nresources:\n{resources}")
}

/// Turns on all components, and shows where an image is replaced.
fn overlay(components: &[Part], image: &str) -> String {
    let base = list("v1beta1", "Kustomization", &["../../base".to_owned()]);
    let components: String = components.iter().map(|part| format!("- ../../components/{}\n", part.as_str())).collect();
    let (name, _) = image.split_once('@').unwrap_or((image, ""));
    // The colon of a port is followed by a slash.
    let name = name.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')).map_or(name, |(name, _)| name);
    format!(
        "# Remove the components that the cluster does not need.\n{base}components:\n{components}\
         # Replaces the image.\n# images:\n# - name: {name}\n#   newTag: \"2.0.0\"\n"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn optional_parts_are_components() {
        let document = |part| Document::new(part, &json!({ "kind": "X" })).unwrap();
        let documents = [Part::Crds, Part::Rbac, Part::Network].map(document);
        let folder = kustomization(&documents, "localhost:5000/greeter:1").unwrap();
        let paths: Vec<&str> = folder.files.keys().map(String::as_str).collect();
        let own = ["components/network/kustomization.yaml", "components/network/network.yaml"];
        assert_eq!(paths, [&["base/crds.yaml", "base/kustomization.yaml", "base/rbac.yaml"][..], &own].concat());
        assert!(folder.files["base/kustomization.yaml"].ends_with("resources:\n- crds.yaml\n- rbac.yaml\n"));
        let overlay = &folder.samples["overlays/example/kustomization.yaml"];
        assert!(
            overlay.contains("- ../../components/network\n") && overlay.contains("- name: localhost:5000/greeter\n")
        );
    }
}
