//! The text of an error and its causes.

/// The error with its causes, as the outermost text alone is often not enough to find the fault.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        source = cause.source();
    }
    text
}

/// The message of the API server with its code, or the error with its causes.
#[cfg(feature = "doctor")]
pub(crate) fn why(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => format!("{} ({})", status.message, status.code),
        error => chain(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// An error with a cause.
    #[derive(Debug)]
    struct Caused(&'static str, io::Error);

    impl std::fmt::Display for Caused {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }
    }

    impl std::error::Error for Caused {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.1)
        }
    }

    #[test]
    fn each_cause_of_an_error_is_printed_once() {
        let cause = || io::Error::other("refused");
        assert_eq!(chain(&cause()), "refused");
        assert_eq!(chain(&Caused("no answer", cause())), "no answer: refused");
        assert_eq!(chain(&Caused("no answer: refused", cause())), "no answer: refused");
    }
}
