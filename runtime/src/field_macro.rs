//! `field!`: the path of a field of the reviewed object.

/// The path of a field of the reviewed object, for [`Review::deny`](crate::Review::deny).
///
/// rustc checks the path against the type of the object, and the name on the wire comes from the schema of the kind.
///
/// | path | field on the wire |
/// | --- | --- |
/// | `field!(spec.service_account)` | `spec.serviceAccount` |
/// | `field!(spec.secret?.name)` | `spec.secret.name`, where `secret` is an `Option` |
/// | `field!(spec.items[i].name)` | `spec.items[2].name`, where `i` is 2 |
/// | `field!(spec.labels["team"])` | `spec.labels[team]` |
/// | `field!(spec.kind_ as "type")` | `spec.type`, where serde renames the field to a name that is not its own in camelCase |
///
/// The operator does not start if the schema does not have the name of a field.
///
/// ```ignore
/// for (i, item) in repo.spec.items.iter().enumerate() {
///     if item.name.is_empty() {
///         cx.deny(field!(spec.items[i].name), "the name is empty: give the item a name");
///     }
/// }
/// ```
#[macro_export]
macro_rules! field {
    () => {
        |_| {
            ::core::compile_error!(
                "`field!` needs the path of a field\nhelp: write for example `field!(spec.team)` or `field!(spec.secret?.name)`"
            )
        }
    };
    ($($path:tt)*) => {
        $crate::__private::field_path!($crate; $($path)*)
    };
}
