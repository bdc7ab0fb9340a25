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
