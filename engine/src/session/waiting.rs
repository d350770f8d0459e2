//! Opening the line of a row that waits for interrupts.

use super::InterruptLine;
use crate::row::WaitFor;
use crate::time::Timebase;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use drivers::block::Controller;
use proto::job::{Irq, Params, Wait};

/// How long `wait=hybrid` looks after the last completion before it halts.
const HYBRID_LOOK_NS: u64 = 50_000;

/// Opens the line as the job says, by the best mode where it does not.
///
/// # Errors
/// Why the row cannot run.
pub fn open(
    params: &Params,
    line: &mut dyn InterruptLine,
    controller: &mut dyn Controller,
) -> Result<Option<Irq>, String> {
    if params.wait == Wait::Poll {
        return Ok(None);
    }
    let offered: Vec<&str> = line.offers().iter().map(|irq| irq.name()).collect();
    let irq = match params.irq {
        Some(irq) if line.offers().contains(&irq) => irq,
        Some(irq) => {
            let all = if offered.is_empty() {
                String::from("none")
            } else {
                offered.join(", ")
            };
            return Err(format!(
                "the controller does not offer irq={}; it offers: {all}",
                irq.name()
            ));
        }
        None => *line
            .offers()
            .first()
            .ok_or("the controller offers no interrupt, so it can only be polled")?,
    };
    line.open(irq, controller)
        .map_err(|why| format!("irq={} does not work: {why}", irq.name()))?;
    Ok(Some(irq))
}

/// The same for the loop.
pub fn wait_for(params: &Params, irq: Option<Irq>, timebase: &Timebase) -> WaitFor {
    let Some(irq) = irq else {
        return WaitFor::Look;
    };
    WaitFor::Interrupt {
        level: irq == Irq::Intx,
        look_ticks: match params.wait {
            Wait::Hybrid => timebase.ticks(HYBRID_LOOK_NS),
            Wait::Poll | Wait::Irq => 0,
        },
    }
}
