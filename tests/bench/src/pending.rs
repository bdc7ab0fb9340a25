//! The list of missed targets with limit and reason: `pending.txt`. An unlisted or worse miss counts as a failure, and so does a listed
//! target that is met.

use std::path::PathBuf;

/// The list.
pub struct Pending(Vec<Known>);

/// A missed target with a known reason.
struct Known {
    /// The sort of the table, and the row.
    what: String,
    /// The maximum miss, and the column of which it is a share.
    limit: f64,
    of: String,
    why: String,
    missed: bool,
    met: bool,
}

impl Known {
    /// `what | limit column | reason`
    fn parse(line: &str) -> Option<Self> {
        let mut parts = line.split('|').map(str::trim);
        let (what, limit, why) = (parts.next()?, parts.next()?, parts.next()?);
        let (limit, of) = limit.split_once(' ').unwrap_or((limit, ""));
        let (what, of, why) = (what.to_owned(), of.to_owned(), why.to_owned());
        Some(Self { what, limit: limit.parse().ok()?, of, why, missed: false, met: false })
    }
}

impl Pending {
    /// Reads the file.
    ///
    /// # Panics
    /// A line is invalid.
    #[must_use]
    pub fn read() -> Self {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("pending.txt");
        Self::parse(&std::fs::read_to_string(path).expect("pending.txt"))
    }

    fn parse(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        Self(lines.map(|line| Known::parse(line).unwrap_or_else(|| panic!("pending.txt: `{line}`"))).collect())
    }

    /// Marks a figure next to its target, and returns whether it is a miss that counts.
    pub(crate) fn judge(&mut self, what: &str, of: &str, found: f64, limit: f64) -> (String, bool) {
        let known = self.0.iter_mut().find(|known| known.what == what && known.of == of);
        let misses = found > limit;
        let Some(known) = known else {
            return (if misses { " **MISSED**".to_owned() } else { String::new() }, misses);
        };
        known.missed |= misses;
        known.met |= !misses;
        match (misses, found > known.limit) {
            (false, _) => (String::new(), false),
            (true, false) => (format!(" **MISSED**: {}", known.why), false),
            (true, true) => (format!(" **MISSED**, by more than the {} that is known", known.limit), true),
        }
    }

    /// Listed targets that were counted and are met.
    pub(crate) fn reached(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|known| known.met && !known.missed).map(|known| &*known.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending() -> Pending {
        Pending::parse("# what | limit | why\npods / bytes | 1.30 B1 | room of vectors\n")
    }

    #[test]
    fn a_known_miss_shows_its_reason_and_passes() {
        let (mark, counts) = pending().judge("pods / bytes", "B1", 1.28, 1.05);
        assert_eq!((&*mark, counts), (" **MISSED**: room of vectors", false));
    }

    #[test]
    fn worse_and_unknown_misses_fail() {
        assert!(pending().judge("pods / bytes", "B1", 1.31, 1.05).1);
        assert!(pending().judge("pods / bytes", "B0", 1.06, 1.05).1);
        assert!(pending().judge("secrets / bytes", "B1", 1.06, 1.05).1);
        assert!(!pending().judge("secrets / bytes", "B1", 1.04, 1.05).1);
    }

    #[test]
    fn a_miss_fixed_at_every_size_is_reported() {
        let mut pending = pending();
        assert_eq!(pending.reached().count(), 0, "it was not counted");
        pending.judge("pods / bytes", "B1", 1.00, 1.05);
        assert_eq!(pending.reached().collect::<Vec<_>>(), ["pods / bytes"]);
        pending.judge("pods / bytes", "B1", 1.10, 1.05);
        assert_eq!(pending.reached().count(), 0);
    }
}
