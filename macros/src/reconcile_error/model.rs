//! The validated error: classes, reasons and the fields that end a wait.

use proc_macro2::Ident;
use syn::{Data, DeriveInput, Generics, Member, Type, Variant};

use super::args::{ActionArgs, Class, ClassArgs, Poll, parse_class, parse_krate};
use super::check;
use crate::errors::Errors;
use crate::syntax::docs;
use crate::syntax::krate::Krate;
use crate::syntax::names::plain;

pub(crate) struct ErrorModel {
    pub(crate) krate: Krate,
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) arms: Vec<Arm>,
}

/// A variant.
pub(crate) enum Arm {
    Classed(Classed),
    Transparent(Transparent),
}

/// A variant with a class of its own.
pub(crate) struct Classed {
    pub(crate) ident: Ident,
    pub(crate) class: Kind,
    pub(crate) reason: String,
    pub(crate) doc: String,
    /// The retry pace, if it is declared.
    pub(crate) retry: Option<&'static str>,
    pub(crate) actions: ActionArgs,
    /// The type that must name a watched object.
    pub(crate) triggered_by: Option<Type>,
}

pub(crate) enum Kind {
    Stalled,
    Ignored,
    Transient,
    Waiting(Option<Poll>),
}

/// A variant that takes everything from its field.
pub(crate) struct Transparent {
    pub(crate) ident: Ident,
    pub(crate) member: Member,
    pub(crate) ty: Type,
}

/// Parses the error. An invalid variant becomes transient, so that its users report no second error.
pub(crate) fn read(input: &DeriveInput, errors: &mut Errors) -> ErrorModel {
    let krate = parse_krate(&input.attrs, errors);
    let arms = match &input.data {
        Data::Enum(data) => data.variants.iter().map(|variant| arm(variant, &input.generics, errors)).collect(),
        Data::Struct(_) | Data::Union(_) => {
            check::refuse_no_enum(input, errors);
            Vec::new()
        }
    };
    ErrorModel { krate, ident: input.ident.clone(), generics: input.generics.clone(), arms }
}

fn arm(variant: &Variant, generics: &Generics, errors: &mut Errors) -> Arm {
    let ident = variant.ident.clone();
    let ClassArgs { class, reason, mut retry, actions } = parse_class(&ident, &variant.attrs, errors);
    let reason = reason.map_or_else(|| plain(&ident), |reason| reason.value());
    let (class, triggered_by) = match class {
        Some(Class::Stalled) => (Kind::Stalled, None),
        Some(Class::Ignored) => (Kind::Ignored, None),
        Some(Class::Transient) | None => (Kind::Transient, None),
        Some(Class::Transparent) => match check::parse_inner(&ident, &variant.fields, generics, errors) {
            Some((member, ty)) => return Arm::Transparent(Transparent { ident, member, ty }),
            None => (Kind::Transient, None),
        },
        Some(Class::Polling(Poll::Field(member))) if !check::check_poll(&ident, &variant.fields, &member, errors) => {
            (Kind::Transient, None)
        }
        Some(Class::Polling(Poll::Requeue)) => {
            retry = Some("VerySlow");
            (Kind::Waiting(None), None)
        }
        Some(Class::Polling(poll)) => (Kind::Waiting(Some(poll)), None),
        Some(Class::Waiting) => (Kind::Waiting(None), check::parse_wake_up(&ident, &variant.fields, errors)),
    };
    Arm::Classed(Classed { ident, class, reason, doc: docs::text(&variant.attrs), retry, actions, triggered_by })
}
