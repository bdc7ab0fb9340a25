//! The objects that a step wants.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;

pub(super) use super::entry::Entry;
#[cfg(feature = "templates")]
use super::error::DependentsError;
#[cfg(feature = "templates")]
use super::rendering::Rendering;
#[cfg(feature = "templates")]
use super::result::Renders;
#[cfg(feature = "templates")]
use super::source::{Pending, Printed, Source};
#[cfg(feature = "templates")]
use super::templates::Templates;
use crate::dependent_rules::manifest::{Digest, InvalidManifest};
use crate::pipeline::permission::DependentOf;
use crate::wiring::{Kind, KindInfo};

/// The objects that the step `S` wants in the cluster. [`Cx::wanted`](crate::Cx::wanted) makes it, [`Cx::converge`](crate::Cx::converge)
/// takes it.
pub struct Wanted<S> {
    pub(super) parts: WantedParts,
    step: PhantomData<fn() -> S>,
}

/// What a set consists of, whatever its step.
#[derive(Default)]
pub(super) struct WantedParts {
    pub(super) entries: Vec<Entry>,
    #[cfg(feature = "templates")]
    pub(super) renderings: Vec<Rendering>,
    #[cfg(feature = "templates")]
    sources: Vec<Pending>,
    /// The output of the sources.
    #[cfg(feature = "templates")]
    pub(super) printed: Vec<Printed>,
    pub(super) changes: Vec<Change>,
}

impl WantedParts {
    /// The same kind as an earlier entry has it, so that they share its texts.
    fn kind(&self, kind: KindInfo) -> KindInfo {
        let known = self.entries.iter().rev().take(KINDS).map(Entry::kind).find(|known| **known == kind);
        known.cloned().unwrap_or(kind)
    }

    /// Lets the sources print their manifests.
    ///
    /// # Errors
    /// One of them fails.
    #[cfg(feature = "templates")]
    pub(super) async fn print(mut self) -> Result<Self, DependentsError> {
        for source in std::mem::take(&mut self.sources) {
            self.printed.push(source.printed().await?);
        }
        Ok(self)
    }

    /// What the manifests depend on, after the sources have printed theirs. `None`: this is not known.
    pub(super) fn input(&self) -> Option<Digest> {
        let entries = self.entries.iter().map(|entry| Some(entry.input()));
        let changes = self.changes.iter().map(|change| change.input);
        let of = |kind: &'static str| std::iter::once(Some(Digest::of_bytes(kind)));
        let all = of("entries").chain(entries).chain(of("changes")).chain(changes);
        #[cfg(feature = "templates")]
        let all = all.chain(of("templates")).chain(self.renderings.iter().map(Rendering::input));
        #[cfg(feature = "templates")]
        let all = all.chain(of("sources")).chain(self.printed.iter().map(|printed| Some(printed.input())));
        Some(Digest::of_all(all.collect::<Option<Vec<_>>>()?))
    }

    fn add(&mut self, entry: Entry) -> &mut Entry {
        if let Some(last) = self.entries.last_mut() {
            last.pack();
        }
        let at = self.entries.len();
        self.entries.push(entry);
        &mut self.entries[at]
    }
}

/// The number of the last entries that are searched for a kind.
const KINDS: usize = 16;

/// A change of each object of a set.
pub(super) struct Change {
    pub(super) apply: Box<dyn Fn(&mut Entry) + Send>,
    /// What it depends on; `None`: its values are no JSON.
    input: Option<Digest>,
}

impl<S> Wanted<S> {
    pub(super) fn new() -> Self {
        Self { parts: WantedParts::default(), step: PhantomData }
    }

    /// Adds an object.
    ///
    /// Without a namespace, an object of a namespaced kind gets that of the component.
    ///
    /// ```ignore
    /// let mut wanted = cx.wanted();
    /// wanted.add(&settings);
    /// wanted.add(&deployment).apply_order(1).delete(DeletePolicy::Orphan);
    /// ```
    pub fn add<K: Kind + DependentOf<S>>(&mut self, object: &K) -> &mut Entry {
        let kind = self.parts.kind(KindInfo::of::<K>());
        let invalid = |error: serde_json::Error| {
            let name = object.meta().name.clone().unwrap_or_default();
            InvalidManifest::new(
                format!("{} {name}", kind.resource.kind),
                "the object",
                format!("it is not JSON: {error}"),
            )
        };
        let object = serde_json::to_value(object).map_err(invalid);
        self.parts.add(Entry::new(kind, object))
    }

    /// Adds the objects that the templates print.
    ///
    /// Each field of `values` is a variable of the templates. The values are serialized at once; the templates are rendered in
    /// [`Cx::converge`](crate::Cx::converge). It fails with [`RenderFailed`](super::DependentsError::RenderFailed) if a template cannot be
    /// rendered.
    ///
    /// ```ignore
    /// let mut wanted = cx.wanted();
    /// wanted.render(&MANIFESTS, &json!({ "name": shop.name_any(), "spec": shop.spec }));
    /// ```
    #[cfg(feature = "templates")]
    pub fn render<V: Serialize + ?Sized>(&mut self, templates: &'static Templates, values: &V) -> &mut Self
    where
        S: Renders,
    {
        let is_declared = S::TEMPLATES.iter().any(|declared| declared.is(templates));
        self.parts.renderings.push(Rendering::new(templates, values, is_declared));
        self
    }

    /// Adds the objects that a source prints.
    ///
    /// It is rendered in [`Cx::converge`](crate::Cx::converge), which fails with [`RenderFailed`](super::DependentsError::RenderFailed) if the
    /// source refuses its input, prints no YAML, or prints more than 32 MiB, and with
    /// [`SourceFailed`](super::DependentsError::SourceFailed) if another attempt may succeed.
    #[cfg(feature = "templates")]
    pub fn source(&mut self, source: impl Source) -> &mut Self {
        self.parts.sources.push(Pending::of(source));
        self
    }

    /// Adds the objects of a YAML text with any number of documents, of kinds that the step declares.
    ///
    /// A value that is put into the text by hand may become a field or a document of its own. Use templates for values of users.
    ///
    /// ```ignore
    /// wanted.yaml(include_str!("../manifests/rules.yaml"));
    /// ```
    #[cfg(feature = "templates")]
    pub fn yaml(&mut self, text: &str) -> &mut Self {
        self.parts.sources.push(Pending::text(text));
        self
    }

    /// Changes each object of the set, with those that are rendered or added later.
    ///
    /// Changes run in their order, in [`Cx::converge`](crate::Cx::converge). What a change depends on has to be in its values: while these, as
    /// JSON, and the rest of the set are the same as in the last pass, it does not run again.
    ///
    /// ```ignore
    /// wanted.each(&shop.spec.labels, |entry, labels| {
    ///     entry.object()["metadata"]["labels"]["team"] = json!(labels.team);
    /// });
    /// ```
    pub fn each<V: Clone + Serialize + Send + 'static>(&mut self, values: &V, change: fn(&mut Entry, &V)) -> &mut Self {
        let input = serde_json::to_string(values).ok();
        let input = input.map(|values| Digest::of_bytes(format!("{change:p} {values}")));
        let values = values.clone();
        self.parts.changes.push(Change { apply: Box::new(move |entry| change(entry, &values)), input });
        self
    }
}

impl<S> fmt::Debug for Wanted<S> {
    /// Without the objects, which may be Secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wanted").field("entries", &self.parts.entries.len()).finish_non_exhaustive()
    }
}
