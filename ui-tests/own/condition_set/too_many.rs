//! Sets are bits of a number of 64.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = many)]
enum Many {
    #[condition(positive)] C0, #[condition(positive)] C1, #[condition(positive)] C2, #[condition(positive)] C3, #[condition(positive)] C4,
    #[condition(positive)] C5, #[condition(positive)] C6, #[condition(positive)] C7, #[condition(positive)] C8, #[condition(positive)] C9,
    #[condition(positive)] C10, #[condition(positive)] C11, #[condition(positive)] C12, #[condition(positive)] C13, #[condition(positive)] C14,
    #[condition(positive)] C15, #[condition(positive)] C16, #[condition(positive)] C17, #[condition(positive)] C18, #[condition(positive)] C19,
    #[condition(positive)] C20, #[condition(positive)] C21, #[condition(positive)] C22, #[condition(positive)] C23, #[condition(positive)] C24,
    #[condition(positive)] C25, #[condition(positive)] C26, #[condition(positive)] C27, #[condition(positive)] C28, #[condition(positive)] C29,
    #[condition(positive)] C30, #[condition(positive)] C31, #[condition(positive)] C32, #[condition(positive)] C33, #[condition(positive)] C34,
    #[condition(positive)] C35, #[condition(positive)] C36, #[condition(positive)] C37, #[condition(positive)] C38, #[condition(positive)] C39,
    #[condition(positive)] C40, #[condition(positive)] C41, #[condition(positive)] C42, #[condition(positive)] C43, #[condition(positive)] C44,
    #[condition(positive)] C45, #[condition(positive)] C46, #[condition(positive)] C47, #[condition(positive)] C48, #[condition(positive)] C49,
    #[condition(positive)] C50, #[condition(positive)] C51, #[condition(positive)] C52, #[condition(positive)] C53, #[condition(positive)] C54,
    #[condition(positive)] C55, #[condition(positive)] C56, #[condition(positive)] C57, #[condition(positive)] C58, #[condition(positive)] C59,
    #[condition(positive)] C60, #[condition(positive)] C61, #[condition(positive)] C62, #[condition(positive)] C63, #[condition(positive)] C64,
}

fn main() {
    assert_eq!(<Many as ConditionSet>::NAME, "Many");
}
