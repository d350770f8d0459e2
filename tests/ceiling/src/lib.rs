//! The ceiling loop: the most I/Os per second that a device model gives to a
//! guest that does nothing but submit and reap.
//!
//! What it shares with the probe is the machine, the device and the refill
//! policy (drain all that is found, then fill, then one doorbell). What it lacks
//! is everything the probe adds: driver, tags, stamps, histogram, engine. So the
//! probe's I/Os per second over the ceiling's is what the probe itself costs.
//!
//! One file per controller, each with its own bare bring-up and a [`bare::Bare`].
//! The drivers' constants are not used, so that both are written from the source
//! and neither follows the other's mistake.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod backoff;
pub mod bare;
pub mod lsisas;
pub mod nvme;
pub mod plan;
pub mod positions;
pub mod pvscsi;
pub mod scsi;
pub mod start;
pub mod virtio_scsi;
