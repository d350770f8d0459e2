//! The job that a guest is given: from the user's words to checked text.

mod compose;
mod diskspd;
mod fio_args;
mod memory;
mod words;

pub use compose::{Job, Source, Tokens, compose};
pub use memory::memory_mib;
