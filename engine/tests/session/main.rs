//! Whole sessions on scripted controllers: the records they send.

mod bench;
mod crews;
mod fio;
mod guarded;
mod injected;
mod protected;
mod records;
mod rings;
mod rows;
mod start;
mod together;
mod trace;
mod verify;
mod waiting;
