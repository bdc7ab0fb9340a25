//! The result of checking an expression: its type, size and cost.

use super::types::{Sized, Type};

/// The minimum and maximum of a cost or size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Span {
    pub(super) const UNKNOWN: Self = Self { min: 0, max: u64::MAX };

    pub(super) fn exactly(n: u64) -> Self {
        Self { min: n, max: n }
    }

    pub(super) fn up_to(max: u64) -> Self {
        Self { min: 0, max }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Multiplies by a factor and rounds up.
    pub(super) fn scaled(self, factor: f64) -> Self {
        // The cast of a float that is too large saturates, as required here.
        let scale = |n: u64| (n as f64 * factor).ceil() as u64;
        Self { min: scale(self.min), max: scale(self.max) }
    }

    /// The cost of reading a text of this size.
    pub(super) fn read(self) -> Self {
        self.scaled(0.1)
    }
}

/// The inferred properties of an expression.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) kind: Type,
    /// The size of the value, if it is known.
    pub(super) size: Option<Span>,
    pub(super) cost: Span,
    /// Whether the value is a part of the object, so that the schema limits its size.
    pub(super) is_stored: bool,
    /// The value of an integer literal.
    pub(super) number: Option<i64>,
}

impl Found {
    pub(super) fn new(kind: Type, size: Option<Span>, cost: Span) -> Self {
        Self { kind, size, cost, is_stored: false, number: None }
    }

    pub(super) fn stored(self, is_stored: bool) -> Self {
        Self { is_stored, ..self }
    }

    /// A value whose size is limited by its schema.
    pub(super) fn sized(sized: &Sized, cost: Span) -> Self {
        Self::new(sized.kind.clone(), (sized.max != u64::MAX).then(|| Span::up_to(sized.max)), cost)
    }

    pub(super) fn as_sized(&self) -> Sized {
        Sized::new(self.kind.clone(), self.size.map_or(u64::MAX, |size| size.max), 0)
    }

    /// The size; a scalar has size 1.
    pub(super) fn size_or_unknown(&self) -> Span {
        let is_single = matches!(
            self.kind,
            Type::Bool | Type::Int | Type::Uint | Type::Double | Type::Timestamp | Type::Duration | Type::Kind(_)
        );
        self.size.unwrap_or(if is_single { Span::exactly(1) } else { Span::UNKNOWN })
    }

    /// The placeholder for a rejected expression; it avoids further errors in the parent.
    pub(super) fn refused() -> Self {
        Self::new(Type::Dyn, None, Span::exactly(0))
    }
}

/// An error and the id of the expression that contains it.
pub(super) type Mistake = (u64, String);
