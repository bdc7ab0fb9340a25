//! Fixtures shared by the cases.
