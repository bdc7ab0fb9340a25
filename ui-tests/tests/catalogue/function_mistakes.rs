//! What must not compile in watchers, reviews of writes, rules and routes.

use super::mistakes::Mistake;

/// The mistakes in functions other than steps.
pub(super) const FUNCTION_MISTAKES: &[Mistake] = &[
    ("a watcher that leaves out an event", &[], &["own/watcher/without_add", "own/watcher/without_delete"]),
    (
        "a method of a watcher under another name",
        &[],
        &["own/watcher/create_is_no_event", "own/watcher/remove_is_no_event"],
    ),
    (
        "a watcher that is never tried again after it was given up",
        &[],
        &["own/watcher/tries_without_requeue", "own/watcher/policy_without_requeue"],
    ),
    (
        "a watcher of a kind of others without a word on what it writes",
        &[],
        &["rustc/watcher/kind_without_status", "own/watcher/bare_without_finalizer"],
    ),
    (
        "a watcher without a cache that takes an object which is not there",
        &[],
        &[
            "own/watcher/cache_none_and_deleted_content",
            "own/watcher/cache_none_and_metadata",
            "own/watcher/cache_none_in_a_function",
        ],
    ),
    (
        "a watcher without an earlier version that takes one",
        &[],
        &["own/watcher/previous_none_with_old", "own/watcher/cache_none_with_old", "own/watcher/update_without_old"],
    ),
    (
        "a review of writes that changes its object where it must not, or the reverse",
        &[],
        &["own/validate/object_by_mut", "own/mutate/object_by_ref", "own/mutate/on_delete"],
    ),
    ("a review of writes that reads an undeclared kind", &[], &["rustc/validate/reads_undeclared"]),
    ("a review of writes that the API server would not wait for", &[], &["own/validate/timeout_too_long"]),
    ("a review of an operation without an object", &[], &["own/validate/on_connect"]),
    (
        "a refusal of a field that does not exist",
        &[],
        &["rustc/field/misspelt", "rustc/field/through_an_option", "rustc/field/index_of_another_type"],
    ),
    (
        "a rule that the API server cannot evaluate",
        &[],
        &["own/rule/a_function", "own/rule/a_method", "own/rule/a_match", "own/rule/a_macro"],
    ),
    ("a rule about another field", &[], &["rustc/rule/type_of_another_field", "rustc/rule/unknown_field_in_at"]),
    ("a rule that is checked less often than it could be", &[], &["own/rule/unused_old", "own/rule/optional_old"]),
    (
        "a route without a method, a path or a kind",
        &[],
        &["own/route/without_method", "own/route/without_path", "own/route/without_of"],
    ),
    ("a route with several methods or paths", &[], &["own/route/two_methods", "own/route/two_paths"]),
    (
        "an unknown argument or method of a route",
        &[],
        &[
            "own/route/unknown_argument",
            "own/route/unknown_method",
            "own/route/misspelt_method",
            "own/route/method_with_a_value",
        ],
    ),
    (
        "a path of a route that no request can have, or that the API server has",
        &[],
        &[
            "own/route/relative_path",
            "own/route/empty_part",
            "own/route/variable_first_part",
            "own/route/strange_part",
            "own/route/open_brace",
            "own/route/part_twice",
            "own/route/own_subresource",
        ],
    ),
    (
        "a part of a path that is not read, or read and not in the path",
        &[],
        &[
            "own/route/unread_part",
            "own/route/part_without_a_call",
            "own/route/unknown_part",
            "own/route/part_that_no_path_has",
        ],
    ),
    (
        "a resource or a timeout of a route that cannot be parsed",
        &[],
        &["own/route/misspelt_resource", "own/route/timeout_without_unit"],
    ),
    (
        "a route that takes no object, another kind, or the object by value",
        &[],
        &[
            "own/route/without_object",
            "own/route/another_kind",
            "own/route/object_by_value",
            "own/route/object_by_mut",
            "rustc/route/not_a_kind",
            "rustc/route/object_of_no_type",
        ],
    ),
    (
        "a route that borrows its request, or takes a dependency by value",
        &[],
        &["own/route/borrowed_call", "own/route/dependency_by_value", "own/route/static_call"],
    ),
    (
        "a route that returns no reply",
        &[],
        &["own/route/without_reply", "rustc/route/another_output", "rustc/route/error_without_a_reply"],
    ),
    (
        "a route that is no plain function",
        &[],
        &[
            "own/route/generic",
            "own/route/unsafe_function",
            "own/route/method",
            "own/route/on_a_struct",
            "rustc/route/not_a_route",
        ],
    ),
    (
        "a conversion in one direction only",
        &[],
        &["own/convert/up_without_down", "own/convert/down_without_up", "own/convert/up_status_without_down_status"],
    ),
    (
        "a conversion that can fail, or that reads anything else",
        &[],
        &["own/convert/returns_a_result", "own/convert/async_function"],
    ),
    ("a conversion between the wrong types", &[], &["rustc/convert/another_spec", "rustc/convert/hub_without_a_crd"]),
    (
        "a field that a conversion both keeps and loses, or that does not exist",
        &[],
        &["own/convert/stash_and_lossy", "rustc/convert/unknown_field_in_lossy"],
    ),
];
