//! The path of a route, at whose literal each mistake is reported.

use syn::LitStr;

use crate::errors::{Errors, mistake};

const HELP: &str = "write for example `\"/artifact\"` or `\"/artifact/{id}\"`";

/// The names of the parts in braces.
pub(super) fn params(path: &LitStr, errors: &mut Errors) -> Vec<String> {
    errors.take(parse(path)).unwrap_or_default()
}

fn parse(path: &LitStr) -> syn::Result<Vec<String>> {
    let text = path.value();
    let Some(parts) = text.strip_prefix('/') else {
        return Err(mistake(path, format_args!("the path `{text}` does not start with `/`"), HELP));
    };
    let mut params: Vec<String> = Vec::new();
    for (at, part) in parts.split('/').enumerate() {
        if part.is_empty() {
            return Err(mistake(path, format_args!("the path `{text}` has an empty part"), HELP));
        }
        match named(part) {
            Some(_) if at == 0 => {
                let help = "begin the path with the name of a subresource, such as `/artifact`";
                return Err(mistake(path, format_args!("the path `{text}` begins with a variable part"), help));
            }
            Some(name) if params.iter().any(|known| known == name) => {
                return Err(mistake(path, format_args!("`{{{name}}}` is twice in the path"), "rename one of them"));
            }
            Some(name) => params.push(name.to_owned()),
            None if !is_literal(part) => {
                let help = "use letters, digits and `-._~`, or a name in braces such as `{id}`";
                return Err(mistake(path, format_args!("`{part}` cannot be a part of a path"), help));
            }
            None if at == 0 && ["status", "scale"].contains(&part) => {
                let help = "use another word: a right on it would be one for the API server, too";
                return Err(mistake(path, format_args!("`{part}` is a subresource of the API server"), help));
            }
            None => {}
        }
    }
    Ok(params)
}

/// The name in `{name}`.
fn named(part: &str) -> Option<&str> {
    let name = part.strip_prefix('{')?.strip_suffix('}')?;
    let is_start = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (is_start && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some(name)
}

fn is_literal(part: &str) -> bool {
    part != "." && part != ".." && part.chars().all(|c| c.is_ascii_alphanumeric() || "-._~".contains(c))
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        parse(&LitStr::new(text, Span::call_site())).map_err(|error| error.to_string())
    }

    #[test]
    fn parts_in_braces_have_names() {
        assert_eq!(read("/artifact"), Ok(vec![]));
        assert_eq!(read("/log/{id}/lines/{from_line}"), Ok(vec!["id".to_owned(), "from_line".to_owned()]));
    }

    #[test]
    fn mistakes_are_named() {
        for (path, wanted) in [
            ("", "does not start with `/`"),
            ("artifact", "does not start with `/`"),
            ("/", "empty part"),
            ("/a/", "empty part"),
            ("/{id}", "begins with a variable part"),
            ("/a/{id}/{id}", "twice"),
            ("/a/{}", "`{}` cannot be a part"),
            ("/a/{id", "`{id` cannot be a part"),
            ("/a/x{id}", "cannot be a part"),
            ("/a?b", "cannot be a part"),
            ("/a/..", "`..` cannot be a part"),
            ("/ä", "cannot be a part"),
            ("/status", "`status` is a subresource"),
        ] {
            let error = read(path).expect_err(path);
            assert!(error.contains(wanted), "{error}");
        }
    }
}
