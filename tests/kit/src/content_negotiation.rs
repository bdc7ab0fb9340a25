//! Content negotiation: in which form objects and lists are written.

use http::HeaderMap;
use http::header::ACCEPT;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

use crate::api_error::Failure;
use crate::clock::Clock;
use crate::query::Query;
use crate::registry::Kind;
use crate::table::{Form, Include};

/// The form asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The objects themselves.
    Full,
    /// `PartialObjectMetadata` of one object, of this version of `meta.k8s.io`.
    Metadata(&'static str),
    /// `PartialObjectMetadataList`.
    MetadataList(&'static str),
    /// Rows for printing.
    Table(Form),
}

/// What is being answered with, for checks of the asked form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Object,
    List,
}

impl Shape {
    /// The first form in the Accept header that can be written, the best liked first.
    pub(crate) fn negotiate(headers: &HeaderMap, query: &Query, clock: Clock, kind: &Kind) -> Result<Shape, Failure> {
        let mut offers = Offer::all(headers);
        // What serves built-in kinds does not know this range, and what serves custom ones does.
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

    /// Refuses the form of one object for a list, the other way round, and tables of unknown content.
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

    /// `kind` and `apiVersion` of a list in this form.
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

/// Whether the client likes YAML better than JSON.
pub(crate) fn wants_yaml(headers: &HeaderMap) -> bool {
    Offer::all(headers).iter().find(|offer| offer.is_written()).is_some_and(Offer::is_yaml)
}

impl<'a> Offer<'a> {
    /// The offers of the Accept headers, the best liked first.
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

    /// How much the client likes it; what is named counts before what stands for anything.
    fn rank(&self) -> f64 {
        let quality = self.parameter("q").and_then(|q| q.parse::<f64>().ok()).unwrap_or(1.0);
        let vague = match self.media {
            "*/*" => 2e-6,
            media if media.ends_with("/*") => 1e-6,
            _ => 0.0,
        };
        quality - vague
    }

    /// Whether JSON or YAML can stand for it.
    fn is_written(&self) -> bool {
        self.is_yaml() || matches!(self.media, "application/json" | "*/*" | "application/*")
    }

    fn is_yaml(&self) -> bool {
        self.media == "application/yaml"
    }

    /// The form it asks for; none when that cannot be written.
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

/// Writes an object in the asked form.
pub(crate) struct View<'a> {
    pub(crate) shape: Shape,
    pub(crate) object: &'a Value,
    pub(crate) place: Place,
}

/// Where an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Alone, or in a list of custom objects: with its type.
    Typed,
    /// In a list of a built-in kind: the list has the type.
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
    fn the_best_liked_form_that_can_be_written_wins() {
        let metadata = Shape::Metadata("meta.k8s.io/v1");
        let partial = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,\
                       application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
        assert_eq!(negotiated(partial), Ok(metadata));
        assert_eq!(negotiated("application/json;as=Bogus;g=meta.k8s.io;v=v1,application/json"), Ok(Shape::Full));
        let liked = "application/json;q=0.5,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1;q=0.9";
        assert_eq!(negotiated(liked), Ok(metadata));
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
