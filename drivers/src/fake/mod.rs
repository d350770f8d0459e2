//! A machine in memory, and device models for it.
