//! What `#[route]` declares.

use std::time::Duration;

/// The declarations of a function that answers requests of users about an object.
#[derive(Clone, Copy, Debug)]
pub struct RouteWiring {
    /// The name of the function: `artifact`.
    pub name: &'static str,
    /// The method that it answers.
    pub method: Method,
    /// The path below the object, as written: `/artifact/{id}`.
    pub path: &'static str,
    /// The resource on which a user needs the verb (`resource = ".."`). `None`: the plural of the kind, and the first part of the path.
    pub resource: Option<&'static str>,
    /// How long a request may take (`timeout = ".."`).
    pub timeout: Duration,
}

impl RouteWiring {
    /// A `GET` route with the default of every argument.
    pub const DEFAULT: Self =
        Self { name: "", method: Method::Get, path: "", resource: None, timeout: Duration::from_secs(30) };

    /// The first part of the path, which names the subresource.
    #[cfg(feature = "routes")]
    pub(crate) fn subresource(&self) -> &'static str {
        self.path.split('/').find(|part| !part.is_empty()).unwrap_or_default()
    }
}

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Method {
    /// `GET`
    Get,
    /// `POST`
    Post,
    /// `PUT`
    Put,
    /// `PATCH`
    Patch,
    /// `DELETE`
    Delete,
}

impl Method {
    /// The method in a request: `GET`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// The verb that a user needs for it, as for the API server: `create` for `POST`, `update` for `PUT`.
    #[must_use]
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "create",
            Self::Put => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
        }
    }
}
