//! Arguments that exclude or require each other.

use proc_macro2::Ident;
use syn::LitStr;

use super::args::WatcherArgs;
use crate::errors::Errors;

pub(super) fn check(args: &WatcherArgs, errors: &mut Errors) {
    let before = errors.count();
    check_plain(args, errors);
    check_bare(args, errors);
    if errors.count() == before {
        check_tries(args, errors);
        check_cache(args, errors);
    }
}

/// The status of a kind of ours is part of its objects.
fn check_cache(args: &WatcherArgs, errors: &mut Errors) {
    if let Some((cache, _)) = args.cache.as_ref().filter(|_| !args.has_no_status()) {
        let help = "say `plain`, or `bare` with `finalizer = \"..\"`, or leave `cache` out";
        errors.push(cache, "a watcher that writes a status caches whole objects", help);
    }
}

/// A plain watcher writes nothing to its objects.
fn check_plain(args: &WatcherArgs, errors: &mut Errors) {
    let Some(plain) = &args.plain else { return };
    if args.bare.is_some() {
        let help = "keep `bare` if a finalizer has to hold the object until `delete` has run, otherwise `plain`";
        return errors.push(plain, "a watcher is `plain` or `bare`", help);
    }
    let refused: [Option<&Ident>; 5] = [
        args.finalizer.as_ref().map(|(key, _)| key),
        args.conditions.as_ref(),
        args.leave.as_ref().map(|(key, _)| key),
        args.settled.as_ref(),
        args.no_undo.as_ref(),
    ];
    if let Some(key) = refused.into_iter().flatten().next() {
        let help = format!("leave out `{key}`, or `plain`");
        errors.push(key, format_args!("a `plain` watcher writes nothing, so it has no `{key}`"), help);
    }
}

/// A finalizer is the only memory of a watcher of a kind without our status.
fn check_bare(args: &WatcherArgs, errors: &mut Errors) {
    let Some(bare) = args.bare.as_ref().filter(|_| args.plain.is_none()) else { return };
    let refused = [args.settled.as_ref(), args.conditions.as_ref(), args.no_undo.as_ref()];
    if let Some(key) = refused.into_iter().flatten().next() {
        let help = format!("leave out `{key}`; a kind with `#[status]` needs no `bare`");
        errors.push(
            key,
            format_args!("a finalizer is the only memory of a `bare` watcher, so it has no `{key}`"),
            help,
        );
    } else if let Some((_, text)) = &args.finalizer {
        text.iter().for_each(|text| check_length(text, errors));
    } else {
        let help = "write `bare, finalizer = \"example.com/quotas\"`, with a domain of yours";
        errors.push(bare, "a `bare` watcher has no finalizer", help);
    }
}

/// The longest name of a finalizer without its domain, with `adding.` before it.
const MAX_NAME: usize = 63 - "adding.".len();

fn check_length(text: &LitStr, errors: &mut Errors) {
    let value = text.value();
    if value.split_once('/').is_some_and(|(_, name)| name.len() > MAX_NAME && name.len() <= 63) {
        let headline = format!("the name of the finalizer of a `bare` watcher has at most {MAX_NAME} characters");
        errors.push(text, headline, "shorten it: while an object is being added, `adding.` is put before the name");
    }
}

/// What is given up must be tried again some day.
fn check_tries(args: &WatcherArgs, errors: &mut Errors) {
    if args.requeue.is_some() {
        return;
    }
    let help = "add the interval after which it is tried again: `requeue = \"1h\"`";
    if let Some(tries) = &args.tries {
        errors.push(tries, "an object that is given up would never be tried again", help);
    } else if let Some(policy) = &args.policy {
        errors.push(policy, "an object that the policy gives up would never be tried again", help);
    }
}
