//! Content negotiation: the form in which objects and lists are serialized.

use http::HeaderMap;
use http::header::ACCEPT;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

use crate::api_error::Failure;
use crate::clock::Clock;
use crate::query::Query;
use crate::registry::Kind;
use crate::table::{Form, Include};

/// The requested form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Whole objects.
    Full,
    /// `PartialObjectMetadata` of one object, in this version of `meta.k8s.io`.
    Metadata(&'static str),
    /// `PartialObjectMetadataList`.
    MetadataList(&'static str),
    /// A table.
    Table(Form),
}

/// The content of a response, for the check of the requested form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Object,
    List,
}

impl Shape {
    /// Returns the supported form with the highest quality in the Accept header.
    pub(crate) fn negotiate(headers: &HeaderMap, query: &Query, clock: Clock, kind: &Kind) -> Result<Shape, Failure> {
        let mut offers = Offer::all(headers);
        // Real servers accept this range for custom kinds but not for built-in kinds.
        offers
            .iter_mut()
            .filter(|offer| kind.is_builtin() && offer.media == "application/*")
            .for_each(|offer| offer.media = "");
        if offers.is_empty() {
            return Ok(Shape::Full);
        }
        let found = offers.iter().find_map(|offer| offer.shape(query, clock));
        found.ok_or_else(|| match offers.iter().any(Offer::is_written) {
            true => Failure::not_acceptable(),
            false => Failure::not_acceptable().with_details(json!({})),
        })
    }

    /// Rejects a form for single objects on a list, a form for lists on an object, and an unknown `includeObject`.
    pub(crate) fn fits(self, kind: &Kind, subject: Subject) -> Result<(), Failure> {
        let refuse = |form: &str, is: &str| {
            let message = format!("you requested {form}, but the requested object {is} (*v1.{})", kind.kind);
            Err(Failure::status(406, "NotAcceptable", message))
        };
        match (self, subject) {
            (Shape::Metadata(_), Subject::List) => refuse("PartialObjectMetadata", "is a list"),
            (Shape::MetadataList(_), Subject::Object) => refuse("PartialObjectMetadataList", "is not a list"),
            (Shape::Table(Form { include: None, .. }), _) => Err(Failure::bad_request(
                "Unable to convert to Table as requested: includeObject: must be 'Metadata', 'Object', 'None', or empty",
            )),
            _ => Ok(()),
        }
    }

    /// Returns `kind` and `apiVersion` of a list in this form.
    pub(crate) fn list_type(self, kind: &Kind) -> (String, String) {
        match self {
            Shape::Metadata(version) | Shape::MetadataList(version) => {
                ("PartialObjectMetadataList".to_owned(), version.to_owned())
            }
            _ => (kind.list_kind.clone(), kind.api_version()),
        }
    }
}

/// One media range of an Accept header.
struct Offer<'a> {
    media: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

/// Returns whether the client prefers YAML to JSON.
pub(crate) fn wants_yaml(headers: &HeaderMap) -> bool {
    Offer::all(headers).iter().find(|offer| offer.is_written()).is_some_and(Offer::is_yaml)
}

impl<'a> Offer<'a> {
    /// Returns the media ranges of all Accept headers, the highest quality first.
    fn all(headers: &'a HeaderMap) -> Vec<Self> {
        let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let mut offers: Vec<Self> = accepts.flat_map(|value| value.split(',')).filter_map(Offer::parse).collect();
        offers.sort_by(|a, b| b.rank().total_cmp(&a.rank()));
        offers
    }

    fn parse(range: &'a str) -> Option<Self> {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().filter(|media| !media.is_empty())?;
        let parameters = parts.filter_map(|part| part.split_once('=')).map(|(name, value)| (name.trim(), value.trim()));
        Some(Offer { media, parameters: parameters.collect() })
    }

    fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Returns the quality. At equal quality, a specific media type precedes a wildcard.
    fn rank(&self) -> f64 {
        let quality = self.parameter("q").and_then(|q| q.parse::<f64>().ok()).unwrap_or(1.0);
        let vague = match self.media {
            "*/*" => 2e-6,
            media if media.ends_with("/*") => 1e-6,
            _ => 0.0,
        };
        quality - vague
    }

    /// Returns whether JSON or YAML matches.
    fn is_written(&self) -> bool {
        self.is_yaml() || matches!(self.media, "application/json" | "*/*" | "application/*")
    }

    fn is_yaml(&self) -> bool {
        self.media == "application/yaml"
    }

    /// Returns the requested form, or `None` if it is not supported.
    fn shape(&self, query: &Query, clock: Clock) -> Option<Shape> {
        if !self.is_written() {
            return None;
        }
        let Some(form) = self.parameter("as") else { return Some(Shape::Full) };
        let api_version = match (self.parameter("g"), self.parameter("v")) {
            (Some("meta.k8s.io"), Some("v1")) => "meta.k8s.io/v1",
            (Some("meta.k8s.io"), Some("v1beta1")) => "meta.k8s.io/v1beta1",
            _ => return None,
        };
        match form {
            "PartialObjectMetadata" => Some(Shape::Metadata(api_version)),
            "PartialObjectMetadataList" => Some(Shape::MetadataList(api_version)),
            "Table" => Some(Shape::Table(Form { api_version, include: Include::parse(&query.include_object), clock })),
            _ => None,
        }
    }
}

/// Serializes an object in the requested form.
pub(crate) struct View<'a> {
    pub(crate) shape: Shape,
    pub(crate) object: &'a Value,
    pub(crate) place: Place,
}

/// The context in which an object is serialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A single object, or an item in a list of custom objects: with kind and apiVersion.
    Typed,
    /// An item in a list of a built-in kind: only the list has kind and apiVersion.
    Untyped,
}

impl Serialize for View<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Shape::Metadata(version) | Shape::MetadataList(version) = self.shape {
            map.serialize_entry("kind", "PartialObjectMetadata")?;
            map.serialize_entry("apiVersion", version)?;
            map.serialize_entry("metadata", &self.object["metadata"])?;
            return map.end();
        }
        let typed = |key: &str| key == "kind" || key == "apiVersion";
        for (key, value) in self.object.as_object().into_iter().flatten() {
            if self.place == Place::Typed || !typed(key) {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::Registry;
    use http::HeaderValue;

    use super::*;

    fn negotiated(accept: &'static str) -> Result<Shape, Failure> {
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        let kind = Registry::builtin().lookup("", "v1", "configmaps").unwrap();
        Shape::negotiate(&headers, &Query::default(), Clock::start(), &kind)
    }

    #[test]
    fn the_supported_form_with_the_highest_quality_wins() {
        let metadata = Shape::Metadata("meta.k8s.io/v1");
        let partial = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,\
                       application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
        assert_eq!(negotiated(partial), Ok(metadata));
        assert_eq!(negotiated("application/json;as=Bogus;g=meta.k8s.io;v=v1,application/json"), Ok(Shape::Full));
        let preferred = "application/json;q=0.5,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1;q=0.9";
        assert_eq!(negotiated(preferred), Ok(metadata));
        assert_eq!(negotiated("*/*,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"), Ok(metadata));
        assert_eq!(negotiated("text/html").unwrap_err().code, 406);
        assert_eq!(negotiated("application/*").unwrap_err().code, 406);
        assert_eq!(negotiated("application/*,*/*"), Ok(Shape::Full));
        assert_eq!(negotiated("application/json;as=Table;g=else;v=v1").unwrap_err().code, 406);
    }

    #[test]
    fn kubectl_gets_a_table() {
        let asked = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        let Ok(Shape::Table(form)) = negotiated(asked) else { panic!("a table was asked for") };
        assert_eq!((form.api_version, form.include), ("meta.k8s.io/v1", Some(Include::Metadata)));
    }
}
