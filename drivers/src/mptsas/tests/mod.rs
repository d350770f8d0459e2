//! The driver against the adapter in memory.

mod bring_up;
mod errors;
mod io;
mod layout;
mod limits;
mod management;
mod properties;
mod reset;
mod support;
mod trouble;
