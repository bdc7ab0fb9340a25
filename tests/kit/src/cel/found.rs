//! What is known of an expression: its type, its size, its cost; or what is wrong with it.

use super::types::{Sized, Type};

/// The least and the most that something costs or measures.
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

    /// Rounded up.
    pub(super) fn scaled(self, factor: f64) -> Self {
        // A cast of a float too large saturates, which is what is wanted.
        let scale = |n: u64| (n as f64 * factor).ceil() as u64;
        Self { min: scale(self.min), max: scale(self.max) }
    }

    /// Reading a text through.
    pub(super) fn read(self) -> Self {
        self.scaled(0.1)
    }
}

/// What is known of an expression.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) kind: Type,
    /// How large the value is, where something tells.
    pub(super) size: Option<Span>,
    pub(super) cost: Span,
    /// Whether the value is a part of the object, which the schema limits.
    pub(super) is_stored: bool,
    /// The number that is written there.
    pub(super) number: Option<i64>,
}

impl Found {
    pub(super) fn new(kind: Type, size: Option<Span>, cost: Span) -> Self {
        Self { kind, size, cost, is_stored: false, number: None }
    }

    pub(super) fn stored(self, is_stored: bool) -> Self {
        Self { is_stored, ..self }
    }

    /// A value whose schema limits it.
    pub(super) fn sized(sized: &Sized, cost: Span) -> Self {
        Self::new(sized.kind.clone(), (sized.max != u64::MAX).then(|| Span::up_to(sized.max)), cost)
    }

    pub(super) fn as_sized(&self) -> Sized {
        Sized::new(self.kind.clone(), self.size.map_or(u64::MAX, |size| size.max), 0)
    }

    /// Single values measure one.
    pub(super) fn size_or_unknown(&self) -> Span {
        let is_single = matches!(
            self.kind,
            Type::Bool | Type::Int | Type::Uint | Type::Double | Type::Timestamp | Type::Duration | Type::Kind(_)
        );
        self.size.unwrap_or(if is_single { Span::exactly(1) } else { Span::UNKNOWN })
    }

    /// What stands for an expression that is refused, so that its parent is not refused for it, too.
    pub(super) fn refused() -> Self {
        Self::new(Type::Dyn, None, Span::exactly(0))
    }
}

/// A mistake and the number of the part it is in.
pub(super) type Mistake = (u64, String);
