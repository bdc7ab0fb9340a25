//! The visitor methods that this module's visitors forward unchanged.

/// The methods of a visitor over `self.inner: V` for values without nested values.
macro_rules! hand_on_scalars {
    () => {
        hand_on_scalars! {
            visit_bool(bool);
            visit_i64(i64);
            visit_i128(i128);
            visit_u64(u64);
            visit_u128(u128);
            visit_f64(f64);
            visit_str(&str);
            visit_borrowed_str(&'de str);
            visit_string(String);
        }
    };
    ($($method:ident($ty:ty);)*) => {
        fn expecting(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            self.inner.expecting(f)
        }

        $(fn $method<E: ::serde::de::Error>(self, value: $ty) -> Result<V::Value, E> {
            self.inner.$method(value)
        })*

        fn visit_none<E: ::serde::de::Error>(self) -> Result<V::Value, E> {
            self.inner.visit_none()
        }

        fn visit_unit<E: ::serde::de::Error>(self) -> Result<V::Value, E> {
            self.inner.visit_unit()
        }
    };
}
pub(super) use hand_on_scalars;
