//! The hypervisor's end of a channel, in memory.

use super::MessagePort;
use crate::hal::backdoor::{Message, MessageAnswer};
use alloc::boxed::Box;
use alloc::vec::Vec;

const SUCCESS: u16 = 1;
const DO_RECEIVE: u16 = 2;
const CHECKPOINT: u16 = 0x10;
const POWER_OFF: u16 = 0x20;

const CHANNEL: u16 = 5;
const COOKIE: [u32; 2] = [0x1234_5678, 0x9abc_def0];

/// What goes wrong; steps count from the one after the opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    None,
    NoChannel,
    NoCookies,
    CheckpointAt(u32),
    CheckpointsFrom(u32),
    FailAt(u32),
    NothingToReceive,
    OtherKindAt(u32),
}

type Answer = Box<dyn FnMut(&[u8]) -> Vec<u8>>;

/// Answers questions, and panics where a guest does what no host would take.
pub struct FakeHost {
    answer: Answer,
    pub trouble: Trouble,
    pub trouble_came: bool,
    pub open_channels: u32,
    pub steps: u32,
    question: Vec<u8>,
    expected: usize,
    reply: Option<Vec<u8>>,
    sent: usize,
}

impl FakeHost {
    pub fn answering(answer: impl FnMut(&[u8]) -> Vec<u8> + 'static) -> Self {
        Self {
            answer: Box::new(answer),
            trouble: Trouble::None,
            trouble_came: false,
            open_channels: 0,
            steps: 0,
            question: Vec::new(),
            expected: 0,
            reply: None,
            sent: 0,
        }
    }

    fn open(&mut self, message: &Message) -> MessageAnswer {
        let with_cookie = message.argument == 0xc943_5052;
        assert!(with_cookie || message.argument == 0x4943_5052, "RPCI");
        let refused = self.trouble == Trouble::NoCookies && with_cookie;
        if refused || self.trouble == Trouble::NoChannel {
            return MessageAnswer::default();
        }
        self.open_channels += 1;
        self.steps = 0;
        MessageAnswer {
            status: SUCCESS,
            detail: CHANNEL,
            value: 0,
            cookie: self.cookie(),
        }
    }

    fn cookie(&self) -> [u32; 2] {
        match self.trouble {
            Trouble::NoCookies => [0; 2],
            _ => COOKIE,
        }
    }

    /// What the host says that it does in answer to a step: it sends a size or a
    /// piece.
    fn kind(&self, step: u16, number: u32) -> u16 {
        match step {
            _ if self.trouble == Trouble::OtherKindAt(number) => 6,
            3 => 1,
            4 => 2,
            _ => 0,
        }
    }

    /// The status of this step, if it goes wrong.
    fn upset(&mut self, step: u32) -> Option<u16> {
        let status = match self.trouble {
            Trouble::CheckpointAt(at) if at == step && !self.trouble_came => CHECKPOINT,
            Trouble::CheckpointsFrom(from) if step >= from => CHECKPOINT,
            Trouble::FailAt(at) if at == step => POWER_OFF,
            _ => return None,
        };
        self.trouble_came = true;
        Some(status)
    }

    /// Status and value of a step that goes well.
    fn step(&mut self, message: &Message) -> (u16, u32) {
        let argument = message.argument;
        match message.step {
            1 => {
                self.expected = argument as usize;
                self.question.clear();
                self.reply = None;
                (SUCCESS, 0)
            }
            2 => {
                assert!(self.question.len() < self.expected, "more than was said");
                self.question.extend_from_slice(&argument.to_le_bytes());
                (SUCCESS, 0)
            }
            3 => self.size(),
            4 => {
                assert_eq!(argument, 1, "the piece before was taken");
                let reply = self.reply.as_ref().expect("a size was asked first");
                assert!(self.sent < reply.len(), "more than there is");
                let mut word = [0; 4];
                for (to, from) in word.iter_mut().zip(&reply[self.sent..]) {
                    *to = *from;
                }
                self.sent += 4;
                (SUCCESS, u32::from_le_bytes(word))
            }
            5 => {
                assert_eq!(argument, 1, "all was taken");
                let reply = self.reply.as_ref().expect("there was an answer");
                assert!(self.sent >= reply.len(), "it was not");
                (SUCCESS, 0)
            }
            other => panic!("step {other}"),
        }
    }

    fn size(&mut self) -> (u16, u32) {
        let whole = self.expected.next_multiple_of(4);
        assert_eq!(self.question.len(), whole, "less than was said");
        if self.trouble == Trouble::NothingToReceive {
            return (SUCCESS, 0);
        }
        let question = &self.question[..self.expected];
        let reply = self.reply.get_or_insert_with(|| (self.answer)(question));
        self.sent = 0;
        (SUCCESS | DO_RECEIVE, reply.len() as u32)
    }
}

impl MessagePort for FakeHost {
    fn message(&mut self, message: &Message) -> MessageAnswer {
        if message.step == 0 {
            return self.open(message);
        }
        assert_eq!((message.channel, message.cookie), (CHANNEL, self.cookie()));
        if message.step == 6 {
            self.open_channels -= 1;
            return MessageAnswer {
                status: SUCCESS,
                ..MessageAnswer::default()
            };
        }
        let number = self.steps;
        self.steps += 1;
        let (status, value) = match self.upset(number) {
            Some(status) => (status, 0),
            None => self.step(message),
        };
        MessageAnswer {
            status,
            value,
            detail: self.kind(message.step, number),
            ..MessageAnswer::default()
        }
    }
}
