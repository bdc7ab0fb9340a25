//! The list of rules that a server is known not to follow, each with its reason.

use std::collections::BTreeMap;

/// The key is server and rule.
pub(crate) struct Accepted(BTreeMap<(String, String), String>);

impl Accepted {
    /// Parses lines of `server rule reason`. The server may also be `real` or `embedded`, for both servers of a sort; `#` starts a
    /// comment.
    pub(crate) fn parse(text: &str) -> Self {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut all = BTreeMap::new();
        for line in lines {
            let mut words = line.splitn(3, char::is_whitespace).map(str::to_owned);
            let (Some(servers), Some(rule), Some(reason)) = (words.next(), words.next(), words.next()) else {
                panic!("accepted.txt: incomplete line: {line}");
            };
            let servers = match servers.as_str() {
                "real" => vec!["modern", "full"],
                "embedded" => vec!["kit", "http"],
                one => vec![one],
            };
            all.extend(servers.into_iter().map(|server| ((server.to_owned(), rule.clone()), reason.clone())));
        }
        Self(all)
    }

    pub(crate) fn reason(&self, server: &str, rule: &str) -> Option<&str> {
        self.0.get(&(server.to_owned(), rule.to_owned())).map(String::as_str)
    }

    /// Entries whose rule does not exist.
    pub(crate) fn strangers(&self, rules: &[&str]) -> Vec<String> {
        let strange = self.0.keys().filter(|(_, rule)| !rules.contains(&rule.as_str()));
        strange.map(|(server, rule)| format!("accepted.txt names no rule: {server} {rule}")).collect()
    }
}
