//! The path of a route: literal parts, and parts with a name.

use percent_encoding::percent_decode_str;

use crate::wiring::KindInfo;

/// A part of a path. Literal parts sort before named ones, so that the first match is the most exact one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Literal(String),
    Named(&'static str),
}

/// A path with named parts: `/apis/example.com/v1/namespaces/{ns}/repos/{name}/artifact/{id}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Template(Vec<Part>);

/// The values of the named parts of a request.
pub(super) struct Matched {
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    /// Those below the object.
    pub(super) params: Vec<(&'static str, String)>,
}

impl Template {
    /// The path of a kind's objects, and below it the path that the author wrote.
    pub(super) fn new(kind: &KindInfo, below: &'static str) -> Self {
        let resource = &kind.resource;
        let literal = |text: &str| Part::Literal(text.to_owned());
        let mut parts = match resource.group.is_empty() {
            true => vec![literal("api")],
            false => vec![literal("apis"), literal(&resource.group)],
        };
        parts.push(literal(&resource.version));
        if kind.namespaced {
            parts.extend([literal("namespaces"), Part::Named("ns")]);
        }
        parts.extend([literal(&resource.plural), Part::Named("name")]);
        parts.extend(below.split('/').filter(|part| !part.is_empty()).map(|part| {
            let named = part.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            named.map_or_else(|| literal(part), Part::Named)
        }));
        Self(parts)
    }

    /// The values of the named parts, if the path of a request has this form.
    pub(super) fn matched(&self, kind: &KindInfo, path: &str) -> Option<Matched> {
        let mut given = path.strip_prefix('/')?.split('/');
        let mut values = Vec::new();
        for part in &self.0 {
            let decoded = percent_decode_str(given.next()?).decode_utf8().ok()?;
            match part {
                Part::Literal(text) if **text == *decoded => {}
                Part::Named(name) if !decoded.is_empty() => values.push((*name, decoded.into_owned())),
                Part::Literal(_) | Part::Named(_) => return None,
            }
        }
        if given.next().is_some() {
            return None;
        }
        let mut values = values.into_iter();
        let namespace = if kind.namespaced { Some(values.next()?.1) } else { None };
        let name = values.next()?.1;
        Some(Matched { namespace, name, params: values.collect() })
    }

    /// Whether both match the same paths.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_same = |pair: (&Part, &Part)| matches!(pair, (Part::Named(_), Part::Named(_))) || pair.0 == pair.1;
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(is_same)
    }
}

impl std::fmt::Display for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for part in &self.0 {
            match part {
                Part::Literal(text) => write!(f, "/{text}")?,
                Part::Named(name) => write!(f, "/{{{name}}}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::{Node, Secret};

    use super::*;

    #[test]
    fn the_path_is_that_of_the_kind() {
        let text = |kind: &KindInfo| Template::new(kind, "/log/{id}").to_string();
        assert_eq!(text(&KindInfo::of::<Node>()), "/api/v1/nodes/{name}/log/{id}");
        assert_eq!(text(&KindInfo::of::<Secret>()), "/api/v1/namespaces/{ns}/secrets/{name}/log/{id}");
        let deployments = "/apis/apps/v1/namespaces/{ns}/deployments/{name}/log/{id}";
        assert_eq!(text(&KindInfo::of::<Deployment>()), deployments);
    }

    #[test]
    fn named_parts_are_decoded() {
        let kind = KindInfo::of::<Secret>();
        let template = Template::new(&kind, "/log/{id}");
        let path = "/api/v1/namespaces/a/secrets/b/log/x%2Fy%20z";
        let Matched { namespace, name, params } = template.matched(&kind, path).expect("it matches");
        assert_eq!((namespace.as_deref(), &*name), (Some("a"), "b"));
        assert_eq!(params, [("id", "x/y z".to_owned())]);
    }

    #[test]
    fn other_paths_do_not_match() {
        let kind = KindInfo::of::<Secret>();
        let template = Template::new(&kind, "/log/{id}");
        for path in [
            "",
            "/",
            "api/v1/namespaces/a/secrets/b/log/x",
            "/api/v1/namespaces/a/secrets/b/log",
            "/api/v1/namespaces/a/secrets/b/log/",
            "/api/v1/namespaces//secrets/b/log/x",
            "/api/v1/namespaces/a/secrets/b/log/x/y",
            "/api/v1/namespaces/a/secrets/b/log/%FF",
            "/api/v1/namespaces/a/secrets/b/LOG/x",
        ] {
            assert!(template.matched(&kind, path).is_none(), "{path}");
        }
    }

    #[test]
    fn literal_parts_are_tried_first() {
        let kind = KindInfo::of::<Secret>();
        let mut all = [Template::new(&kind, "/log/{id}"), Template::new(&kind, "/log/last")];
        all.sort();
        assert!(all[0].to_string().ends_with("/log/last"));
        assert!(Template::new(&kind, "/log/{id}").is_same(&Template::new(&kind, "/log/{other}")));
        assert!(!all[0].is_same(&all[1]));
    }
}
