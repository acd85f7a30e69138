//! A unit that is ready to run.

use std::sync::Arc;

use chiaro_agx::machine::{Config, Group, Launch, Outcome, Program};
use chiaro_sim::mapped::Mapped;

use super::tables::Tables;
use crate::agx::linked::Unit;
use crate::suite::Miss;

/// Instructions of a SIMD-group.
const FUEL: u64 = 1 << 24;

/// Its main part in a threadgroup behind the preamble.
pub(super) struct Ready {
    pub(super) group: Group,
    pub(super) memory: Mapped,
    launch: Launch,
    /// Sets up the registers of a threadgroup.
    enter: Box<dyn Fn(&mut Group)>,
}

impl Ready {
    /// The main part, with what follows it where it has no end, behind its preamble.
    pub(super) fn new(
        unit: &Unit,
        launch: Launch,
        tables: &Tables,
        mut memory: Mapped,
        enter: Box<dyn Fn(&mut Group)>,
    ) -> Result<Ready, Miss> {
        let config = Config { fuel: FUEL, soft_fault: true, ..Config::default() };
        let end: &[u8] = if unit.object["stage"] == "frag" { &chiaro_agx::abi::link::STOP } else { &[] };
        let program = Arc::new(Program::new(&[&unit.main, end].concat(), 0, &config));
        let mut group = Group::new(&program, &config, &launch, unit.number("local"));
        tables.map(&mut memory)?;
        tables.push(unit, &mut group);
        tables.bind(&mut group);
        if unit.number("has_preamble") == 1 {
            let code = unit.binary.get(unit.number("preamble_offset")..).ok_or("the preamble is cut off")?;
            let preamble = Arc::new(Program::new(code, 0, &config));
            fault(&group.prepare(&preamble, &config, &mut memory))
                .map_err(|why| format!("preamble, {why}"))?;
        }
        Ok(Ready { group, memory, launch, enter })
    }

    /// Puts a threadgroup at its start.
    pub(super) fn start(&mut self, id: [u32; 3]) {
        self.group.enter(&self.launch, id);
        (self.enter)(&mut self.group);
    }

    /// Runs a threadgroup.
    pub(super) fn run(&mut self, id: [u32; 3]) -> Result<(), String> {
        self.start(id);
        fault(&self.group.run(&mut self.memory))
    }
}

/// The first thing that went wrong.
fn fault(outcome: &Outcome) -> Result<(), String> {
    match outcome.faults.first() {
        Some(fault) => Err(format!("byte {:#x}, lane {}: {}", fault.offset, fault.lane, fault.kind)),
        None => Ok(()),
    }
}
