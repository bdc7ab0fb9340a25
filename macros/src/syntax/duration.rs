//! Durations as literals, such as `"10m"` or `"1h30m"`, from one second to thirty days.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, Lit, LitStr};

use crate::errors::mistake;
use crate::syntax::krate::Krate;

const UNITS: [(&str, u64); 5] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// The bounds of the runtime, in milliseconds.
const SHORTEST: u64 = 1000;
const LONGEST: u64 = 30 * 86_400_000;

/// Expands a duration.
pub(crate) fn expand_duration(krate: &Krate, duration: Duration) -> TokenStream {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    quote!(#krate::std::time::Duration::from_millis(#millis))
}

/// The supported units, and the prefix that other spellings of each have.
const SPELLINGS: [(&str, &str); 5] = [("ms", "milli"), ("s", "sec"), ("m", "min"), ("h", "hour"), ("d", "day")];

/// The error for an invalid text, with a suggestion.
#[derive(Debug, PartialEq)]
struct Wrong {
    headline: String,
    help: String,
}

/// Parses the value of `key` as a duration.
pub(crate) fn parse_duration(key: &str, value: &Expr) -> syn::Result<Duration> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => parse_text(key, text),
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Err(mistake(
            value,
            format_args!("`{key}` needs a unit"),
            format_args!("write `{key} = \"{}s\"`", number.base10_digits()),
        )),
        _ => Err(mistake(
            value,
            format_args!("`{key}` takes a duration"),
            format_args!("write for example `{key} = \"30s\"`, `\"10m\"` or `\"1h30m\"`"),
        )),
    }
}

/// Parses a string literal as a duration.
fn parse_text(key: &str, text: &LitStr) -> syn::Result<Duration> {
    let wrong = |Wrong { headline, help }| mistake(text, format_args!("`{key}` {headline}"), help);
    read(&text.value()).map_err(wrong)
}

fn read(text: &str) -> Result<Duration, Wrong> {
    let (mut rest, mut millis) = (text, 0_u64);
    if rest.is_empty() {
        return Err(shape("is empty"));
    }
    while !rest.is_empty() {
        let (part, factor, after) = split(rest)?;
        let added = part.checked_mul(factor).and_then(|n| millis.checked_add(n));
        millis = added.ok_or_else(|| shape("is too long"))?;
        rest = after;
    }
    let wrong = |headline: &str, help: &str| Err(Wrong { headline: headline.into(), help: help.into() });
    match millis {
        0 => wrong("must be longer than zero", "write for example `\"30s\"`"),
        1..SHORTEST => wrong("is shorter than one second", "write `\"1s\"` or longer"),
        SHORTEST..=LONGEST => Ok(Duration::from_millis(millis)),
        _ => wrong("is longer than thirty days", "write `\"30d\"` or shorter"),
    }
}

/// The first number, its unit in milliseconds, and the rest.
fn split(text: &str) -> Result<(u64, u64, &str), Wrong> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(digits);
    if number.is_empty() {
        return Err(shape("is not a duration"));
    }
    let end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(end);
    let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(unknown_unit(number, unit.trim()));
    };
    let number = number.parse().map_err(|_| shape("is too long"))?;
    Ok((number, *factor, rest))
}

fn shape(headline: &str) -> Wrong {
    Wrong { headline: headline.into(), help: "write for example `\"30s\"`, `\"10m\"` or `\"1h30m\"`".into() }
}

fn unknown_unit(number: &str, unit: &str) -> Wrong {
    if unit.is_empty() {
        return Wrong { headline: "needs a unit".into(), help: format!("write `\"{number}s\"`") };
    }
    let spelled = SPELLINGS.iter().find(|(name, word)| unit == *name || unit.starts_with(word));
    let headline = format!("has an unknown unit `{unit}`");
    match spelled {
        Some((name, _)) if unit == *name => {
            Wrong { headline: "has a space before its unit".into(), help: format!("write `\"{number}{name}\"`") }
        }
        Some((name, _)) => Wrong { headline, help: format!("write `\"{number}{name}\"`") },
        None => Wrong { headline, help: "use `ms`, `s`, `m`, `h` or `d`".into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_add_up() {
        assert_eq!(read("1500ms"), Ok(Duration::from_millis(1500)));
        assert_eq!(read("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(read("1d2h3m4s"), Ok(Duration::from_secs(86_400 + 7_200 + 180 + 4)));
    }

    #[test]
    fn a_wrong_unit_is_answered_with_the_right_one() {
        assert_eq!(read("10 minutes").unwrap_err().help, "write `\"10m\"`");
        assert_eq!(read("10 m").unwrap_err().help, "write `\"10m\"`");
        assert_eq!(read("2weeks").unwrap_err().help, "use `ms`, `s`, `m`, `h` or `d`");
        assert_eq!(read("10").unwrap_err().help, "write `\"10s\"`");
    }

    #[test]
    fn what_the_runtime_would_clamp_is_refused() {
        assert_eq!(read("999ms").unwrap_err().help, "write `\"1s\"` or longer");
        assert_eq!(read("30d1ms").unwrap_err().help, "write `\"30d\"` or shorter");
        assert!(read("1s").is_ok() && read("30d").is_ok());
    }

    #[test]
    fn zero_nothing_and_overflow_are_refused() {
        for text in ["", "0s", "0m0s", "-1s", "m", "99999999999999999999s", "18446744073709551615d"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
