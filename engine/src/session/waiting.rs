//! Opening the line of a row that waits for interrupts.

use super::{Adapter, InterruptLine};
use crate::row::WaitFor;
use crate::time::Timebase;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use drivers::block::Controller;
use drivers::hal::Clock;
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

/// The same of several adapters at once.
///
/// To find where a level-triggered interrupt comes in, every pin is opened, and what
/// comes in at one that others share must not be theirs. So each line is opened by
/// itself first, and all of them once their places are known.
///
/// # Errors
/// Why the row cannot run; all are closed again.
pub fn open_all<K: Clock>(
    params: &Params,
    adapters: &mut [&mut Adapter<K>],
) -> Result<Vec<Option<Irq>>, String> {
    if adapters.len() > 1 {
        for adapter in adapters.iter_mut() {
            let mut alone = [&mut **adapter];
            let irqs = open_each(params, &mut alone)?;
            close_all(&irqs, &mut alone)?;
        }
    }
    open_each(params, adapters)
}

fn open_each<K: Clock>(
    params: &Params,
    adapters: &mut [&mut Adapter<K>],
) -> Result<Vec<Option<Irq>>, String> {
    let mut irqs = Vec::new();
    for at in 0..adapters.len() {
        let adapter = &mut *adapters[at];
        let controller = adapter.controller.as_controller();
        match open(params, &mut *adapter.line, controller) {
            Ok(irq) => irqs.push(irq),
            Err(why) => {
                let _ = close_all(&irqs, adapters);
                return Err(format!("{}: {why}", adapters[at].pci));
            }
        }
    }
    Ok(irqs)
}

/// Closes the lines that are open.
///
/// # Errors
/// Why one of the controllers can no longer be used.
pub fn close_all<K: Clock>(
    irqs: &[Option<Irq>],
    adapters: &mut [&mut Adapter<K>],
) -> Result<(), String> {
    let mut done = Ok(());
    for (irq, adapter) in irqs.iter().zip(adapters) {
        if irq.is_some() {
            let controller = adapter.controller.as_controller();
            done = done.and(adapter.line.close(controller));
        }
    }
    done
}

/// The same for the loop.
pub fn wait_for(params: &Params, irqs: &[Option<Irq>], timebase: &Timebase) -> WaitFor {
    if irqs.iter().all(Option::is_none) {
        return WaitFor::Look;
    }
    WaitFor::Interrupt {
        level: irqs.contains(&Some(Irq::Intx)),
        look_ticks: match params.wait {
            Wait::Hybrid => timebase.ticks(HYBRID_LOOK_NS),
            Wait::Poll | Wait::Irq => 0,
        },
    }
}
