//! Loader library.
#![no_std]
