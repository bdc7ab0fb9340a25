//! Content negotiation: the form of a document that the Accept header requests.

pub(super) const JSON: &str = "application/json";

/// The forms of the two root documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Lists of groups or versions; each needs a further request.
    Legacy,
    /// All resources of all groups in one document: `apidiscovery.k8s.io/v2`.
    Aggregated,
}

impl Form {
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Legacy => JSON,
            Self::Aggregated => "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        }
    }
}

/// The form that one media range of the header requests.
enum Range {
    Aggregated,
    Json,
    /// An unsupported form of JSON, such as the beta version of aggregated discovery.
    Form,
    Other,
}

/// The requested form, or the message of the 406. The aggregated form wins at any position; only root documents have it.
pub(super) fn form(accept: &str, path: &str) -> Result<Form, String> {
    // YAML is converted from the JSON; `/version` supports only JSON.
    let of_yaml = |range: &str| path != "/version" && range.trim() == "application/yaml";
    let ranges = accept.split(',').map(|range| if of_yaml(range) { Range::Json } else { Range::parse(range) });
    let ranges: Vec<Range> = ranges.collect();
    let is_root = matches!(path, "/api" | "/apis");
    if is_root && ranges.iter().any(|range| matches!(range, Range::Aggregated)) {
        Ok(Form::Aggregated)
    } else if ranges.iter().any(|range| range.is_plain() || (!is_root && range.is_json())) {
        Ok(Form::Legacy)
    } else if ranges.iter().any(Range::is_json) {
        Err("only the following media types are accepted: application/json".to_owned())
    } else {
        Err("406: Not Acceptable\n\nAvailable representations: application/json".to_owned())
    }
}

impl Range {
    fn parse(range: &str) -> Self {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        if !matches!(media, "" | "*/*" | "application/json") {
            return Self::Other;
        }
        let of = |name: &str| parts.clone().find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        match (of("as"), of("g"), of("v")) {
            (None, ..) => Self::Json,
            (Some("APIGroupDiscoveryList"), Some("apidiscovery.k8s.io"), Some("v2")) => Self::Aggregated,
            _ => Self::Form,
        }
    }

    fn is_plain(&self) -> bool {
        matches!(self, Self::Json)
    }

    fn is_json(&self) -> bool {
        !matches!(self, Self::Other)
    }
}
