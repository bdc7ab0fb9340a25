//! The mistakes of other designs that this grammar cannot express.

/// A mistake of other designs, its numbers in the same list, and why it cannot be written here.
pub(super) const DROPPED: &[(&str, &[u8], &str)] = &[
    (
        "no resource given",
        &[2],
        "the object is the first parameter; without one the message is that of `without_object`",
    ),
    ("`#[reconciler]` on a function", &[8], "that is where it goes"),
    (
        "an input that names no step",
        &[18],
        "inputs are `let` bindings: rustc names the unknown variable (`used_too_early`)",
    ),
    ("an input that names a later step", &[19], "a binding cannot be used before it is made (`used_too_early`)"),
    ("an input that names its own step, a cycle", &[20], "bindings cannot form one"),
    (
        "an input that names a step without a result",
        &[21],
        "the binding is `()`, and rustc says which type is wanted (`wrong_type_handed_on`)",
    ),
    ("an input by value", &[22], "a step takes its inputs as any function does"),
    (
        "a context of another resource",
        &[24],
        "the context names its step, not the resource (`context_of_another_step`)",
    ),
    ("two steps of one name by `name = ..`", &[28], "a step has the name of its function, and rustc refuses two"),
    ("a misspelt variant in `sets(..)`", &[29], "`sets` names markers, which are paths (`unknown_condition`)"),
    (
        "a status without a `conditions` field",
        &[35],
        "`#[status]` adds the field; without the attribute it is `no_contract`",
    ),
    (
        "a finalizer without a step to undo",
        &[40, 41],
        "the finalizer follows from `external`; its name alone is checked (`finalizer_without_domain`)",
    ),
    ("two summary variants", &[46], "the summary is computed and no variant of the set"),
];
