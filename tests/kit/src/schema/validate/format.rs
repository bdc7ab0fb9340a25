//! The string formats that API servers check. They accept more than the standards allow, and so does this module.

use std::net::Ipv6Addr;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use super::super::cause::{Cause, Causes};
use super::super::structural::{Kind, Rules};

pub(super) fn check(text: &str, kind: Kind, rules: &Rules, at: &str, causes: &mut Causes) {
    let Some(format) = rules.format.as_deref().filter(|_| matches!(kind, Kind::Text | Kind::Any)) else { return };
    if !is_formatted(text, format) {
        causes.push(Cause::mistyped(at, text, format_args!("{at} in body must be of type {format}: {text:?}")));
    }
}

fn is_formatted(text: &str, format: &str) -> bool {
    match format {
        "bsonobjectid" => text.len() == 24 && is_hex(text),
        "byte" => BASE64.is_match(text) && text.len().is_multiple_of(4),
        "cidr" => is_cidr(text),
        "creditcard" => is_card(text),
        "date" => is_date(text),
        "date-time" | "datetime" => is_date_time(text),
        "duration" => is_duration(text),
        "email" => text.split_once('@').is_some_and(|(name, host)| is_word(name) && is_word(host)),
        "hexcolor" => HEX_COLOR.is_match(text),
        "hostname" => is_hostname(text),
        "ipv4" => is_ipv4(text),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "isbn" => is_isbn10(text) || is_isbn13(text),
        "isbn10" => is_isbn10(text),
        "isbn13" => is_isbn13(text),
        "k8s-long-name" => crate::names::subdomain(text).is_empty(),
        "k8s-short-name" => crate::names::label(text).is_empty(),
        "mac" => MAC.is_match(text),
        "rgbcolor" => RGB_COLOR.is_match(text),
        "ssn" => SSN.is_match(text),
        "uri" => text.starts_with('/') || SCHEME.is_match(text),
        "uuid" => is_uuid(text, ""),
        "uuid3" => is_uuid(text, "3"),
        "uuid4" => is_uuid(text, "4"),
        "uuid5" => is_uuid(text, "5"),
        _ => true,
    }
}

macro_rules! patterns {
    ($($name:ident = $pattern:literal;)*) => {
        // The first test that uses a pattern fails if the pattern does not compile.
        $(static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("a constant pattern"));)*
    };
}

patterns! {
    BASE64 = r"^[A-Za-z0-9+/]+={0,2}$";
    CARD = r"^(4[0-9]{12}([0-9]{3})?|5[1-5][0-9]{14}|6(011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(0[0-5]|[68][0-9])[0-9]{11}|(2131|1800|35[0-9]{3})[0-9]{11})$";
    CLOCK = r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})$";
    GO_DURATION = r"^[+-]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$";
    HEX_COLOR = r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
    HOST_LABEL = r"^[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$";
    MAC = r"^([0-9a-fA-F]{2}[:-]){5}([0-9a-fA-F]{2})$|^([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$";
    RGB_COLOR = r"^rgb\( *([01]?[0-9]?[0-9]|2[0-4][0-9]|25[0-5]) *, *([01]?[0-9]?[0-9]|2[0-4][0-9]|25[0-5]) *, *([01]?[0-9]?[0-9]|2[0-4][0-9]|25[0-5]) *\)$";
    SCHEME = r"^[a-zA-Z][a-zA-Z0-9+.-]*:";
    SSN = r"^[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}$";
    UUID = r"^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?([0-9a-fA-F])[0-9a-fA-F]{3}-?([0-9a-fA-F])[0-9a-fA-F]{3}-?[0-9a-fA-F]{12}$";
    WORDY_DURATION = r"(?i)[0-9]+\s*(ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|wk|week)";
}

fn is_hex(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_hexdigit())
}

/// The digits of a number that may contain spaces and hyphens.
fn digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect()
}

/// The Luhn check: every second digit from the right is doubled.
fn is_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let twice = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let numbers = digits.chars().rev().filter_map(|c| c.to_digit(10)).enumerate();
    let sum: u32 = numbers.map(|(at, digit)| if at % 2 == 1 { twice(digit) } else { digit }).sum();
    CARD.is_match(&digits) && sum.is_multiple_of(10)
}

fn is_isbn10(text: &str) -> bool {
    let digits = digits(text);
    let value = |(at, c): (usize, char)| if at == 9 && c == 'X' { Some(10) } else { c.to_digit(10) };
    let values: Option<Vec<u32>> = digits.chars().enumerate().map(value).collect();
    let sum = |values: Vec<u32>| values.iter().zip(1..).map(|(value, weight)| value * weight).sum::<u32>();
    digits.len() == 10 && values.map(sum).is_some_and(|sum| sum.is_multiple_of(11))
}

fn is_isbn13(text: &str) -> bool {
    let values: Option<Vec<u32>> = digits(text).chars().map(|c| c.to_digit(10)).collect();
    let Some(values) = values.filter(|values| values.len() == 13) else { return false };
    values.iter().zip([1, 3].into_iter().cycle()).map(|(value, weight)| value * weight).sum::<u32>().is_multiple_of(10)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '@')
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.is_ascii() && text.parse::<Date>().is_ok()
}

fn is_date_time(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.split_once('t').is_some_and(|(date, clock)| is_date(date) && CLOCK.is_match(clock))
}

fn is_duration(text: &str) -> bool {
    GO_DURATION.is_match(text) || WORDY_DURATION.is_match(text)
}

/// Leading zeros are allowed.
fn is_ipv4(text: &str) -> bool {
    let is_octet = |part: &str| (1..=3).contains(&part.len()) && part.parse::<u16>().is_ok_and(|octet| octet < 256);
    text.split('.').count() == 4 && text.split('.').all(is_octet)
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let Ok(bits) = bits.parse::<u8>() else { return false };
    (is_ipv4(address) && bits <= 32) || (address.parse::<Ipv6Addr>().is_ok() && bits <= 128)
}

/// If there are several labels, the last one must have at least two characters.
fn is_hostname(text: &str) -> bool {
    let labels: Vec<_> = text.split('.').collect();
    let is_top_long = labels.len() == 1 || labels.last().is_some_and(|top| top.len() > 1);
    text.len() <= 255 && is_top_long && labels.iter().all(|label| HOST_LABEL.is_match(label))
}

fn is_uuid(text: &str, version: &str) -> bool {
    let Some(groups) = UUID.captures(text) else { return false };
    let is_version = version.is_empty() || &groups[1] == version;
    let has_variant = !matches!(version, "4" | "5") || "89abAB".contains(&groups[2]);
    is_version && has_variant
}
