//! Messages through the doorbell, and changes of state: what works before there
//! are frames. Every wait ends.

use super::regs::Regs;
use super::spec::{diagnostic, doorbell, interrupt, ioc_status, reply};
use crate::block::ControllerError;
use crate::hal::{Clock, Deadline, Mmio};

/// How long the adapter may take over one word, in milliseconds.
const WORD_MS: u64 = 5_000;
/// How long it may take to be ready after a message unit reset (L `MakeIocReady`).
const MESSAGE_UNIT_RESET_MS: u64 = 15_000;
/// How long it may take to be ready after a diagnostic reset (L `mpt_diag_reset`).
const DIAGNOSTIC_RESET_MS: u64 = 60_000;
/// How often the keys are written before the diagnostic register counts as locked.
const UNLOCK_ATTEMPTS: u32 = 20;

/// Bytes of the longest reply that is looked at (IOC_FACTS has 80); longer ones
/// are read to their end and cut.
pub(super) const REPLY_BYTES: usize = 0x50;

/// Waits until the adapter is in `state`; `what` is awaited. A fault ends the wait.
pub(super) fn wait_for_state<M: Mmio>(
    regs: &Regs<M>,
    clock: &impl Clock,
    state: u32,
    what: &'static str,
    after_ms: u64,
) -> Result<(), ControllerError> {
    let reached = Deadline::after_ms(clock, after_ms).poll(clock, || {
        let now = regs.state();
        if now.is_gone() {
            return Some(Err(ControllerError::Gone));
        }
        if now.is(state) {
            return Some(Ok(()));
        }
        let fault = now.fault()?;
        Some(Err(ControllerError::Refused {
            what,
            answer: u64::from(fault),
        }))
    });
    reached.unwrap_or(Err(ControllerError::TimedOut { what, after_ms }))
}

/// Brings the adapter to READY unless it is, so that it can be asked things.
/// Interrupts are masked.
pub(super) fn make_ready<M: Mmio>(
    regs: &Regs<M>,
    clock: &impl Clock,
) -> Result<(), ControllerError> {
    let state = regs.state();
    if state.is(doorbell::READY) && !state.in_handshake() {
        regs.enable(false);
        return Ok(());
    }
    reset(regs, clock)
}

/// Resets the adapter to READY, whatever it does now: what is in flight ends
/// without a reply, and its FIFOs are empty. Interrupts are masked.
pub(super) fn reset<M: Mmio>(regs: &Regs<M>, clock: &impl Clock) -> Result<(), ControllerError> {
    let state = regs.state();
    if state.is_gone() {
        return Err(ControllerError::Gone);
    }
    regs.enable(false);
    // A message unit reset is only understood between messages.
    let listens = state.is(doorbell::OPERATIONAL) || state.is(doorbell::READY);
    if listens && !state.in_handshake() {
        match reset_message_unit(regs, clock) {
            Ok(()) => return Ok(()),
            Err(ControllerError::Gone) => return Err(ControllerError::Gone),
            Err(_) => {}
        }
    }
    if state.is(doorbell::RESET) {
        // Firmware that is still starting.
        let what = "the adapter to start";
        match wait_for_state(regs, clock, doorbell::READY, what, DIAGNOSTIC_RESET_MS) {
            Err(ControllerError::TimedOut { .. } | ControllerError::Refused { .. }) => {}
            other => return other,
        }
    }
    reset_adapter(regs, clock)
}

/// The gentle reset, which firmware does by itself.
fn reset_message_unit<M: Mmio>(regs: &Regs<M>, clock: &impl Clock) -> Result<(), ControllerError> {
    regs.write_doorbell(doorbell::MESSAGE_UNIT_RESET);
    wait_taken(regs, clock)?;
    let what = "message unit reset";
    wait_for_state(regs, clock, doorbell::READY, what, MESSAGE_UNIT_RESET_MS)
}

/// The hard reset, which starts firmware anew.
fn reset_adapter<M: Mmio>(regs: &Regs<M>, clock: &impl Clock) -> Result<(), ControllerError> {
    regs.clear_doorbell();
    let mut unlocked = regs.diagnostic();
    for _ in 0..UNLOCK_ATTEMPTS {
        if unlocked & diagnostic::WRITABLE != 0 {
            break;
        }
        regs.unlock_diagnostic();
        unlocked = regs.diagnostic();
    }
    if unlocked == u32::MAX {
        return Err(ControllerError::Gone);
    }
    if unlocked & diagnostic::WRITABLE == 0 {
        return Err(ControllerError::Refused {
            what: "to unlock its diagnostic register",
            answer: u64::from(unlocked),
        });
    }
    regs.reset_adapter(unlocked);
    // The fault that led here may stay visible for a while.
    let (what, after_ms) = ("diagnostic reset", DIAGNOSTIC_RESET_MS);
    let ended = Deadline::after_ms(clock, after_ms).poll(clock, || {
        let state = regs.state();
        (state.is_gone() || state.is(doorbell::READY)).then_some(state)
    });
    match ended {
        Some(state) if state.is_gone() => Err(ControllerError::Gone),
        Some(_) => {
            regs.enable(false);
            Ok(())
        }
        None => Err(ControllerError::TimedOut { what, after_ms }),
    }
}

/// Waits for the adapter to take what was written to the doorbell.
fn wait_taken<M: Mmio>(regs: &Regs<M>, clock: &impl Clock) -> Result<(), ControllerError> {
    let what = "the doorbell to be taken";
    wait_status(regs, clock, what, WORD_MS, |raised| {
        raised & interrupt::DOORBELL_BUSY == 0
    })
}

/// Waits for the adapter to write the doorbell.
fn wait_written<M: Mmio>(
    regs: &Regs<M>,
    clock: &impl Clock,
    what: &'static str,
    after_ms: u64,
) -> Result<(), ControllerError> {
    wait_status(regs, clock, what, after_ms, |raised| {
        raised & interrupt::DOORBELL != 0
    })
}

fn wait_status<M: Mmio>(
    regs: &Regs<M>,
    clock: &impl Clock,
    what: &'static str,
    after_ms: u64,
    done: impl Fn(u32) -> bool,
) -> Result<(), ControllerError> {
    let seen = Deadline::after_ms(clock, after_ms).poll(clock, || {
        let raised = regs.raised();
        if raised == u32::MAX {
            return Some(Err(ControllerError::Gone));
        }
        done(raised).then_some(Ok(()))
    });
    seen.unwrap_or(Err(ControllerError::TimedOut { what, after_ms }))
}

/// Sends a message and returns its reply, zero behind its end. `what` names the
/// message; `after_ms` bounds the time until the reply starts.
///
/// # Errors
/// [`ControllerError::Refused`] with the IOCStatus unless that is success, or
/// with the code of the fault that the message led to.
pub(super) fn exchange<M: Mmio>(
    regs: &Regs<M>,
    clock: &impl Clock,
    what: &'static str,
    message: &[u32],
    after_ms: u64,
) -> Result<[u8; REPLY_BYTES], ControllerError> {
    let result = send_and_receive(regs, clock, what, message, after_ms);
    if let Err(ControllerError::TimedOut { .. }) = result
        && let Some(code) = regs.state().fault()
    {
        return Err(ControllerError::Refused {
            what,
            answer: u64::from(code),
        });
    }
    result
}

fn send_and_receive<M: Mmio>(
    regs: &Regs<M>,
    clock: &impl Clock,
    what: &'static str,
    message: &[u32],
    after_ms: u64,
) -> Result<[u8; REPLY_BYTES], ControllerError> {
    regs.clear_doorbell();
    regs.write_doorbell(doorbell::HANDSHAKE | (message.len() as u32) << 16);
    wait_written(regs, clock, what, WORD_MS)?;
    let state = regs.state();
    if !state.in_handshake() {
        return Err(ControllerError::Refused {
            what,
            answer: u64::from(state.0),
        });
    }
    regs.clear_doorbell();
    wait_taken(regs, clock)?;
    for word in message {
        regs.write_doorbell(*word);
        wait_taken(regs, clock)?;
    }
    let answer = receive(regs, clock, what, after_ms)?;
    let status = u16::from_le_bytes([answer[reply::IOC_STATUS], answer[reply::IOC_STATUS + 1]]);
    match status & ioc_status::MASK {
        ioc_status::SUCCESS => Ok(answer),
        refused => Err(ControllerError::Refused {
            what,
            answer: u64::from(refused),
        }),
    }
}

/// Reads a reply, half-word by half-word; its third byte tells how long it is.
fn receive<M: Mmio>(
    regs: &Regs<M>,
    clock: &impl Clock,
    what: &'static str,
    after_ms: u64,
) -> Result<[u8; REPLY_BYTES], ControllerError> {
    let mut answer = [0; REPLY_BYTES];
    let mut half_words = 2;
    let mut index = 0;
    while index < half_words {
        let wait_ms = if index == 0 { after_ms } else { WORD_MS };
        wait_written(regs, clock, what, wait_ms)?;
        let half = regs.half_word();
        regs.clear_doorbell();
        if let Some(place) = answer.get_mut(index * 2..index * 2 + 2) {
            place.copy_from_slice(&half.to_le_bytes());
        }
        index += 1;
        if index == 2 {
            half_words = usize::from(answer[reply::LENGTH]) * 2;
        }
    }
    // It raises the doorbell once more when it is done.
    wait_written(regs, clock, what, WORD_MS)?;
    regs.clear_doorbell();
    Ok(answer)
}
