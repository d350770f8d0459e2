//! One question and its answer over the backdoor, four bytes at a time
//! (open-vm-tools: lib/message, lib/rpcOut, lib/include/backdoor_def.h).

use crate::hal::backdoor::{Backdoor, Message, MessageAnswer};
use alloc::vec::Vec;
use core::fmt;

/// Protocol number of the questions that a guest asks: "RPCI".
const RPCI: u32 = 0x4943_5052;
/// Flag of the protocol number: the channel has a cookie.
const WITH_COOKIE: u32 = 1 << 31;

/// Steps.
mod step {
    pub const OPEN: u16 = 0;
    pub const SEND_SIZE: u16 = 1;
    pub const SEND_PAYLOAD: u16 = 2;
    pub const RECEIVE_SIZE: u16 = 3;
    pub const RECEIVE_PAYLOAD: u16 = 4;
    pub const RECEIVE_STATUS: u16 = 5;
    pub const CLOSE: u16 = 6;
}

/// Flags of an answer's status.
mod status {
    pub const SUCCESS: u16 = 1 << 0;
    /// There is something to receive.
    pub const DO_RECEIVE: u16 = 1 << 1;
    /// A checkpoint or a migration came between: start the transfer anew.
    pub const CHECKPOINT: u16 = 1 << 4;
}

/// Times that a transfer is started before it is given up.
const ATTEMPTS: u32 = 4;

/// Who carries the steps of a conversation.
pub trait MessagePort {
    /// One step.
    fn message(&mut self, message: &Message) -> MessageAnswer;
}

impl MessagePort for Backdoor {
    fn message(&mut self, message: &Message) -> MessageAnswer {
        Self::message(*self, message)
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RpcError {
    /// The hypervisor opens no channel.
    NoChannel,
    /// It did not take the question; its status.
    NotSent(u16),
    /// It has no answer to the question; its status.
    NoAnswer(u16),
    /// The answer broke off; the status.
    NotReceived(u16),
    /// Checkpoints kept coming between.
    Interrupted,
    /// The answer is longer than was asked for; its length in bytes.
    TooLong(u32),
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoChannel => write!(f, "the hypervisor opens no channel"),
            Self::NotSent(status) => {
                write!(f, "the hypervisor took no question (status {status:#x})")
            }
            Self::NoAnswer(status) => {
                write!(f, "the hypervisor gave no answer (status {status:#x})")
            }
            Self::NotReceived(status) => {
                write!(f, "the hypervisor's answer broke off (status {status:#x})")
            }
            Self::Interrupted => write!(f, "checkpoints kept interrupting the conversation"),
            Self::TooLong(bytes) => write!(f, "the answer has {bytes} bytes"),
        }
    }
}

/// An open channel.
#[derive(Debug)]
pub struct Rpc<'p, P: MessagePort> {
    port: &'p mut P,
    channel: u16,
    cookie: [u32; 2],
}

impl<'p, P: MessagePort> Rpc<'p, P> {
    /// Asks `question`; the answer has at most `max_bytes`.
    ///
    /// # Errors
    /// [`RpcError`]; the channel is closed in any case.
    pub fn ask(port: &'p mut P, question: &[u8], max_bytes: u32) -> Result<Vec<u8>, RpcError> {
        let mut rpc = Self::open(port)?;
        let sent = retried(|| rpc.send(question));
        let answer = sent.and_then(|()| retried(|| rpc.receive(max_bytes)));
        rpc.step(step::CLOSE, 0);
        answer
    }

    /// Old hypervisors know no cookies.
    fn open(port: &'p mut P) -> Result<Self, RpcError> {
        let mut answers = [RPCI | WITH_COOKIE, RPCI].into_iter().map(|argument| {
            port.message(&Message {
                step: step::OPEN,
                argument,
                ..Message::default()
            })
        });
        let opened = |answer: &MessageAnswer| answer.status & status::SUCCESS != 0;
        let answer = answers.find(opened).ok_or(RpcError::NoChannel)?;
        Ok(Self {
            port,
            channel: answer.detail,
            cookie: answer.cookie,
        })
    }

    fn step(&mut self, step: u16, argument: u32) -> MessageAnswer {
        self.port.message(&Message {
            step,
            channel: self.channel,
            argument,
            cookie: self.cookie,
        })
    }

    fn send(&mut self, question: &[u8]) -> Result<(), Setback> {
        let len = question.len() as u32;
        check(self.step(step::SEND_SIZE, len), RpcError::NotSent)?;
        for piece in question.chunks(4) {
            let mut word = [0; 4];
            word[..piece.len()].copy_from_slice(piece);
            let word = u32::from_le_bytes(word);
            check(self.step(step::SEND_PAYLOAD, word), RpcError::NotSent)?;
        }
        Ok(())
    }

    fn receive(&mut self, max_bytes: u32) -> Result<Vec<u8>, Setback> {
        let size = check(self.step(step::RECEIVE_SIZE, 0), RpcError::NoAnswer)?;
        if size.status & status::DO_RECEIVE == 0 || size.detail != step::SEND_SIZE {
            return Err(Setback::Final(RpcError::NoAnswer(size.status)));
        }
        if size.value > max_bytes {
            return Err(Setback::Final(RpcError::TooLong(size.value)));
        }
        let len = size.value as usize;
        // What the device must be told with each of these: all is well here.
        let taken = u32::from(status::SUCCESS);
        let mut answer = Vec::with_capacity(len.next_multiple_of(4));
        while answer.len() < len {
            let piece = self.step(step::RECEIVE_PAYLOAD, taken);
            let piece = check(piece, RpcError::NotReceived)?;
            if piece.detail != step::SEND_PAYLOAD {
                return Err(Setback::Final(RpcError::NotReceived(piece.status)));
            }
            answer.extend_from_slice(&piece.value.to_le_bytes());
        }
        answer.truncate(len);
        check(
            self.step(step::RECEIVE_STATUS, taken),
            RpcError::NotReceived,
        )?;
        Ok(answer)
    }
}

/// Why a transfer did not come to its end.
enum Setback {
    /// It may do so when it starts anew.
    Checkpoint,
    /// It never will.
    Final(RpcError),
}

fn check(answer: MessageAnswer, error: fn(u16) -> RpcError) -> Result<MessageAnswer, Setback> {
    if answer.status & status::SUCCESS != 0 {
        Ok(answer)
    } else if answer.status & status::CHECKPOINT != 0 {
        Err(Setback::Checkpoint)
    } else {
        Err(Setback::Final(error(answer.status)))
    }
}

fn retried<T>(mut transfer: impl FnMut() -> Result<T, Setback>) -> Result<T, RpcError> {
    for _ in 0..ATTEMPTS {
        match transfer() {
            Ok(done) => return Ok(done),
            Err(Setback::Checkpoint) => {}
            Err(Setback::Final(error)) => return Err(error),
        }
    }
    Err(RpcError::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeHost, Trouble};
    use super::*;

    fn ask(host: &mut FakeHost, question: &[u8], max_bytes: u32) -> Result<Vec<u8>, RpcError> {
        let answer = Rpc::ask(host, question, max_bytes);
        assert_eq!(host.open_channels, 0, "a channel was left open");
        answer
    }

    #[test]
    fn questions_and_answers_of_every_length_arrive_whole() {
        for len in 0..10 {
            let question: Vec<u8> = (1..=len).collect();
            let mut host = FakeHost::answering(|question| {
                let mut answer = question.to_vec();
                answer.reverse();
                answer
            });
            let mut expected = question.clone();
            expected.reverse();
            assert_eq!(ask(&mut host, &question, 100), Ok(expected));
        }
    }

    #[test]
    fn a_checkpoint_in_any_step_starts_the_transfer_anew() {
        let mut steps = 0;
        loop {
            let mut host = FakeHost::answering(|_| b"1 0123456789".to_vec());
            host.trouble = Trouble::CheckpointAt(steps);
            let answer = ask(&mut host, b"info-get guestinfo.x", 100);
            assert_eq!(answer.as_deref(), Ok(&b"1 0123456789"[..]), "step {steps}");
            if !host.trouble_came {
                break;
            }
            steps += 1;
        }
        // Two sizes, 5 words there, 3 back, the status.
        assert_eq!(steps, 11);
    }

    #[test]
    fn checkpoints_without_end_are_given_up() {
        let mut host = FakeHost::answering(|_| b"1 x".to_vec());
        host.trouble = Trouble::CheckpointsFrom(2);
        assert_eq!(ask(&mut host, b"?", 100), Err(RpcError::Interrupted));
    }

    #[test]
    fn every_failure_has_its_name() {
        let outcome = |trouble| {
            let mut host = FakeHost::answering(|_| b"1 12345".to_vec());
            host.trouble = trouble;
            ask(&mut host, b"12345678", 7)
        };
        assert_eq!(outcome(Trouble::None).as_deref(), Ok(&b"1 12345"[..]));
        assert_eq!(outcome(Trouble::NoChannel), Err(RpcError::NoChannel));
        // After the opening, 0 is the size, 1 and 2 are the question.
        assert_eq!(outcome(Trouble::FailAt(0)), Err(RpcError::NotSent(0x20)));
        assert_eq!(outcome(Trouble::FailAt(2)), Err(RpcError::NotSent(0x20)));
        assert_eq!(outcome(Trouble::FailAt(3)), Err(RpcError::NoAnswer(0x20)));
        assert_eq!(
            outcome(Trouble::FailAt(4)),
            Err(RpcError::NotReceived(0x20))
        );
        assert_eq!(
            outcome(Trouble::FailAt(6)),
            Err(RpcError::NotReceived(0x20))
        );
        assert_eq!(
            outcome(Trouble::NothingToReceive),
            Err(RpcError::NoAnswer(1))
        );
        assert_eq!(outcome(Trouble::OtherKindAt(3)), Err(RpcError::NoAnswer(3)));
        assert_eq!(
            outcome(Trouble::OtherKindAt(4)),
            Err(RpcError::NotReceived(1))
        );
    }

    #[test]
    fn a_host_without_cookies_is_talked_to_without() {
        let mut host = FakeHost::answering(|_| b"1 old".to_vec());
        host.trouble = Trouble::NoCookies;
        assert_eq!(ask(&mut host, b"?", 10).as_deref(), Ok(&b"1 old"[..]));
    }

    #[test]
    fn an_answer_is_fetched_up_to_the_limit_and_no_longer_one() {
        let mut host = FakeHost::answering(|_| std::vec![b'x'; 65_538]);
        let answer = ask(&mut host, b"?", 65_538);
        assert_eq!(answer, Ok(std::vec![b'x'; 65_538]));
        assert_eq!(ask(&mut host, b"?", 65_537), Err(RpcError::TooLong(65_538)));
        assert_eq!(host.steps, 3, "the sizes and the question");
    }
}
