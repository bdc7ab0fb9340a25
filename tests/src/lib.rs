//! Fixtures shared by the behaviour tests.
