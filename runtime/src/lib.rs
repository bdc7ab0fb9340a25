//! A DSL of attribute macros for Kubernetes operators.
