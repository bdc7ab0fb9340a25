//! Several replicas that work at the same time, each for a part of the objects.

mod selectors;
