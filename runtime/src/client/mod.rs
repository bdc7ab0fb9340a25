//! The HTTP layer under passes and watches: what the API server said about when to come back, and what is left out of its answers.

pub(crate) mod decode;
mod error_chain;
mod filtered_body;
pub(crate) mod json_scan;
mod line_limit;
mod middleware;
mod request_info;
mod retry_after;
mod strip_managed_fields;
mod watch_lines;

pub(crate) use self::error_chain::chain;
pub(crate) use self::line_limit::{LineTooLong, is_too_long};
pub(crate) use self::middleware::{configured, lean, metadata_only, noted, watched};
pub(crate) use self::retry_after::{note_silence as note_outage, noting, noting_retry_after, retry_after};
