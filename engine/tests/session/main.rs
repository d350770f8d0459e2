//! Whole sessions on scripted controllers: the records they send.

mod bench;
mod guarded;
mod injected;
mod records;
mod rows;
mod verify;
