//! The address of a repository and the credentials for it.

use std::fmt;
use std::path::PathBuf;

use gix::bstr::ByteSlice;
use gix::url::Scheme;
use k8s_openapi::api::core::v1::Secret;

/// An address or a version range that is invalid on its own.
#[derive(Debug, thiserror::Error)]
#[error("the source is not valid: {0}")]
pub struct InvalidSource(String);

impl InvalidSource {
    /// Creates the error with the cause and the fix.
    pub fn new(why: String) -> Self {
        Self(why)
    }
}

/// A Secret without the keys that a login requires.
#[derive(Debug, thiserror::Error)]
#[error("it has no `{0}`, give it the keys `username` and `password`")]
pub struct NoLogin(&'static str);

/// Credentials of a login; never printed.
#[derive(Clone)]
pub struct Login {
    pub(crate) username: String,
    pub(crate) password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login(..)")
    }
}

impl TryFrom<&Secret> for Login {
    type Error = NoLogin;

    fn try_from(secret: &Secret) -> Result<Self, NoLogin> {
        let key = |name| {
            let bytes = secret.data.as_ref().and_then(|data| data.get(name)).ok_or(NoLogin(name))?;
            String::from_utf8(bytes.0.clone()).map_err(|_| NoLogin(name))
        };
        Ok(Self { username: key("username")?, password: key("password")? })
    }
}

/// A parsed and valid address to fetch from.
#[derive(Clone, Debug)]
pub enum Remote {
    /// A repository on this machine; read in place, without a copy or a subprocess.
    Local(PathBuf),
    /// A server that speaks HTTP.
    Http(Box<gix::Url>),
}

impl Remote {
    /// Parses an address: `https://host/path`, `http://host/path`, `file:///path` or an absolute path.
    ///
    /// # Errors
    /// The address is invalid; the message names the fix. It never repeats an address that contains a password.
    pub fn parse(text: &str) -> Result<Self, InvalidSource> {
        if text.trim().is_empty() {
            return Err(InvalidSource("it is empty, write for example https://example.com/repository.git".into()));
        }
        let url = gix::url::parse(text).map_err(|error| InvalidSource(format!("{error}")))?;
        if url.password().is_some() {
            return Err(InvalidSource("it holds a password, put that into a Secret and name it in `secret`".into()));
        }
        match url.scheme {
            Scheme::File => Self::local(&url),
            Scheme::Http | Scheme::Https if url.host().is_none_or(str::is_empty) => {
                Err(InvalidSource(format!("`{text}` has no host")))
            }
            Scheme::Http | Scheme::Https => Ok(Self::Http(Box::new(url))),
            other => Err(InvalidSource(format!(
                "`{}` is not supported, use https, http, file or an absolute path",
                other.as_str()
            ))),
        }
    }

    fn local(url: &gix::Url) -> Result<Self, InvalidSource> {
        let path = url.path.to_path().map_err(|_| InvalidSource("the path is not text".into()))?;
        if path.is_relative() {
            return Err(InvalidSource(format!("`{}` is a relative path, write an absolute one", path.display())));
        }
        Ok(Self::Local(path.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unusable_address_is_refused_with_the_fix() {
        let cases = [
            ("", "it is empty"),
            ("nowhere://example.com/x.git", "`nowhere` is not supported"),
            ("ssh://git@example.com/x.git", "`ssh` is not supported"),
            ("https:///x.git", ""),
            ("some/where", "is a relative path"),
        ];
        for (url, expected) in cases {
            let text = Remote::parse(url).unwrap_err().to_string();
            assert!(text.starts_with("the source is not valid: ") && text.contains(expected), "{url}: {text}");
        }
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_not_repeated() {
        let text = Remote::parse("https://me:geheim@example.com/x.git").unwrap_err().to_string();
        assert!(text.contains("Secret") && !text.contains("geheim"), "{text}");
    }

    #[test]
    fn a_login_does_not_show_in_debug_output() {
        let login = Login { username: "me".into(), password: "geheim".into() };
        assert_eq!(format!("{login:?}"), "Login(..)");
    }

    #[test]
    fn a_secret_without_a_key_names_the_key() {
        assert!(Login::try_from(&Secret::default()).unwrap_err().to_string().contains("`username`"));
    }
}
