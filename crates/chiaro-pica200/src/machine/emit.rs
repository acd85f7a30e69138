//! Geometry output: SETEMIT and EMIT. Spec section 16.

/// What a geometry program hands on, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The triangle that follows has its first two vertices exchanged.
    Winding,
    /// One vertex of a triangle: its attributes, packed by the output mask.
    Vertex(Vec<[u32; 4]>),
}

/// The output registers of one lane.
pub(crate) type Outputs = [[u32; 4]; 16];

/// The emitter of one lane.
#[derive(Clone, Debug)]
pub(crate) struct Emitter {
    vertex: u8,
    primitive: bool,
    winding: bool,
    /// Three slots are known; a fourth can be named. What the hardware does then
    /// is [unknown]: it is stored and never sent.
    slots: [Vec<[u32; 4]>; 4],
    /// The other bank of output registers; the banks change places at every EMIT.
    other_bank: Outputs,
    /// What was handed on.
    pub(crate) events: Vec<Event>,
}

impl Emitter {
    /// An emitter as it is at the start of an invocation.
    pub(crate) fn new(mask: u16, start: u32) -> Self {
        let empty = vec![[start; 4]; mask.count_ones() as usize];
        Self {
            vertex: 0,
            primitive: false,
            winding: false,
            slots: [empty.clone(), empty.clone(), empty.clone(), empty],
            other_bank: [[start; 4]; 16],
            events: Vec::new(),
        }
    }

    /// SETEMIT: stays in force for all EMITs that follow.
    pub(crate) fn set(&mut self, vertex: u8, primitive: bool, winding: bool) {
        (self.vertex, self.primitive, self.winding) = (vertex & 3, primitive, winding);
    }

    /// EMIT: stores the outputs that `mask` enables, sends a triangle if so set,
    /// and exchanges the banks.
    pub(crate) fn emit(&mut self, outputs: &mut Outputs, mask: u16) {
        let enabled = (0..16).filter(|n| mask >> n & 1 != 0);
        self.slots[usize::from(self.vertex)] = enabled.map(|n| outputs[n]).collect();
        if self.primitive {
            if self.winding {
                self.events.push(Event::Winding);
            }
            self.events.extend(self.slots[..3].iter().cloned().map(Event::Vertex));
        }
        std::mem::swap(outputs, &mut self.other_bank);
    }
}
