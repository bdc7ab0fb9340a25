//! Checks that defaults match the schema that contains them.

use super::super::cause::{Cause, Causes};
use super::super::default::fill;
use super::super::prune::prune_plain;
use super::super::structural::{Rest, Structural};
use super::super::validate::validate_preset;

pub(super) fn check(s: &Structural, at: &str, causes: &mut Causes) {
    check_own(s, at, causes);
    for (name, schema) in &s.properties {
        check(schema, &format!("{at}.properties[{name}]"), causes);
    }
    if let Rest::Each(each) = &s.rest {
        check(each, &format!("{at}.additionalProperties"), causes);
    }
    if let Some(items) = &s.items {
        check(items, &format!("{at}.items"), causes);
    }
}

fn check_own(s: &Structural, at: &str, causes: &mut Causes) {
    let Some(preset) = &s.default else { return };
    let mut pruned = preset.clone();
    if !prune_plain(&mut pruned, s).is_empty() {
        causes.push(Cause::invalid(&format!("{at}.default"), preset, "must not have unknown fields"));
    }
    fill(&mut pruned, s);
    for cause in validate_preset(&pruned, s) {
        let field = match cause.field.as_str() {
            "" => format!("{at}.default"),
            "<nil>" => cause.field.clone(),
            below => format!("{at}.default.{below}"),
        };
        causes.push(Cause { field, ..cause });
    }
}
