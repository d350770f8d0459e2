//! Whole sessions on scripted controllers: the records they send.

mod bench;
mod guarded;
mod records;
mod rows;
mod verify;
