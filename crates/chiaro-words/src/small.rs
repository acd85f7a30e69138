//! Numbers of 8 and 16 bits: the capabilities that a module uses, and no other.
//!
//! To compute with them is one capability, to hold them in memory of some kind another; a
//! module that only loads, converts and stores needs the second alone. Which it is shows only
//! when all words are there. [SPIR-V 1.6, 3.31; SPV_KHR_16bit_storage; SPV_KHR_8bit_storage]

use spirv::{Capability, Op, StorageClass};

use crate::grammar::{Role, Roles};
use crate::hash::Map;
use crate::instruction::{HEADER, Instruction, instructions};
use crate::module::Module;
use crate::write::{Id, encode};

/// Which small numbers a type holds, a bit each.
type Held = u8;
const FLOAT16: Held = 1;
const INT16: Held = 2;
const INT8: Held = 4;

/// The capabilities that are decided here, and what asks for them: numbers, and the memory that
/// holds them (`None`: to compute with them).
const CAPABILITIES: [(Capability, Held, Option<StorageClass>); 10] = [
    (Capability::Float16, FLOAT16, None),
    (Capability::Int16, INT16, None),
    (Capability::Int8, INT8, None),
    (Capability::UniformAndStorageBuffer16BitAccess, FLOAT16 | INT16, Some(StorageClass::Uniform)),
    (Capability::StorageBuffer16BitAccess, FLOAT16 | INT16, Some(StorageClass::StorageBuffer)),
    (Capability::StoragePushConstant16, FLOAT16 | INT16, Some(StorageClass::PushConstant)),
    (Capability::StorageInputOutput16, FLOAT16 | INT16, Some(StorageClass::Input)),
    (Capability::UniformAndStorageBuffer8BitAccess, INT8, Some(StorageClass::Uniform)),
    (Capability::StorageBuffer8BitAccess, INT8, Some(StorageClass::StorageBuffer)),
    (Capability::StoragePushConstant8, INT8, Some(StorageClass::PushConstant)),
];

/// Gives a module the capabilities of small numbers that it needs, in place of those it has.
/// Words that cannot be read are left as they are.
pub fn settle(module: &mut Module) {
    let head = || instructions(&module.words).map_while(Result::ok).take_while(|i| i.op == Op::Capability);
    if !head().any(|inst| is_settled(inst.word(0))) {
        return;
    }
    let Some(needed) = Uses::of(&module.words).map(|uses| uses.capabilities()) else { return };
    let kept: Vec<u32> = head().map(|inst| inst.word(0)).filter(|&word| !is_settled(word)).collect();
    let old = head().count();
    let all: Vec<u32> = needed.iter().map(|&capability| capability as u32).chain(kept).collect();
    let words = all.iter().flat_map(|&capability| [2 << 16 | Op::Capability as u32, capability]);
    let words: Vec<u32> = words.chain(extensions(&module.words, &needed)).collect();
    let added = all.len() + instructions_in(&words[2 * all.len()..]);
    module.words.splice(HEADER..HEADER + 2 * old, words);
    let spans = old.min(module.spans.len());
    module.spans.splice(..spans, std::iter::repeat_n(None, added));
}

/// Whether a capability is one of those that are decided here.
fn is_settled(word: u32) -> bool {
    CAPABILITIES.iter().any(|row| row.0 as u32 == word)
}

/// Instructions that have to stand behind the capabilities: extensions that are not there yet.
fn extensions(words: &[u32], needed: &[Capability]) -> Vec<u32> {
    let holds = |held: Held| {
        let row = |capability: &Capability| CAPABILITIES.iter().find(|row| row.0 == *capability);
        needed.iter().filter_map(row).any(|row| row.2.is_some() && row.1 & held != 0)
    };
    let there = |name: &str| {
        let all = instructions(words).map_while(Result::ok).take_while(|i| i.op != Op::MemoryModel);
        all.into_iter().any(|inst| inst.op == Op::Extension && inst.text(0) == name)
    };
    let mut made = Vec::new();
    for (held, name) in [(FLOAT16 | INT16, "SPV_KHR_16bit_storage"), (INT8, "SPV_KHR_8bit_storage")] {
        if holds(held) && !there(name) {
            let text = encode(name);
            made.push((text.len() as u32 + 1) << 16 | Op::Extension as u32);
            made.extend(text);
        }
    }
    made
}

/// How many instructions words without a header hold.
fn instructions_in(words: &[u32]) -> usize {
    let (mut at, mut count) = (0, 0);
    while let Some(word) = words.get(at) {
        at += (word >> 16).max(1) as usize;
        count += 1;
    }
    count
}

/// What a module does with small numbers.
#[derive(Default)]
struct Uses {
    /// Small numbers in types and values, by id; nothing for ids without any.
    held: Map<Id, Held>,
    /// Pointers to such: class and what is held there.
    pointers: Map<Id, (StorageClass, Held)>,
    /// Numbers that are declared.
    declared: Held,
    /// Numbers that are computed with.
    computed: Held,
    /// Numbers in memory of some kind.
    stored: Vec<(StorageClass, Held)>,
    /// Whether shared memory is announced apart.
    explicit_shared: bool,
}

impl Uses {
    /// Reads words; `None` if they are no module.
    fn of(words: &[u32]) -> Option<Uses> {
        let (mut uses, mut roles) = (Uses::default(), Roles::new());
        for inst in instructions(words) {
            let inst = inst.ok()?;
            match inst.op {
                Op::Capability => {
                    uses.explicit_shared |=
                        inst.word(0) == Capability::WorkgroupMemoryExplicitLayoutKHR as u32;
                }
                Op::Name | Op::MemberName | Op::EntryPoint | Op::Extension | Op::ExtInstImport => {}
                op if op.is_type() => uses.declare_type(&inst),
                Op::Variable => uses.variable(&inst),
                _ => uses.instruction(&inst, roles.of(&inst).ok()?),
            }
        }
        Some(uses)
    }

    fn held(&self, id: Id) -> Held {
        self.held.get(&id).copied().unwrap_or(0)
    }

    fn declare_type(&mut self, inst: &Instruction<'_>) {
        let all = |uses: &Uses, ids: &[Id]| ids.iter().fold(0, |sum, &id| sum | uses.held(id));
        let id = inst.word(0);
        let held = match inst.op {
            Op::TypeInt if inst.word(1) == 16 => INT16,
            Op::TypeInt if inst.word(1) == 8 => INT8,
            // A third word names another format, which has capabilities of its own.
            Op::TypeFloat if inst.word(1) == 16 && inst.operands.len() == 2 => FLOAT16,
            Op::TypeInt | Op::TypeFloat => 0,
            Op::TypeVector | Op::TypeMatrix | Op::TypeArray | Op::TypeRuntimeArray => self.held(inst.word(1)),
            Op::TypeStruct => all(self, inst.rest(1)),
            Op::TypePointer => return self.declare_pointer(inst),
            _ => {
                self.computed |= all(self, inst.rest(1));
                0
            }
        };
        self.declared |= held;
        if held != 0 {
            self.held.insert(id, held);
        }
    }

    fn declare_pointer(&mut self, inst: &Instruction<'_>) {
        let held = self.held(inst.word(2));
        let Some(class) = StorageClass::from_u32(inst.word(1)).filter(|_| held != 0) else { return };
        self.pointers.insert(inst.word(0), (class, held));
        // Addresses lead to memory that no variable declares.
        if class == StorageClass::PhysicalStorageBuffer {
            self.stored.push((class, held));
        }
    }

    fn variable(&mut self, inst: &Instruction<'_>) {
        let Some(&(class, held)) = self.pointers.get(&inst.word(0)) else { return };
        match class {
            StorageClass::Workgroup if self.explicit_shared => {}
            _ if kind_of_memory(class).is_some() => self.stored.push((class, held)),
            _ => self.computed |= held,
        }
    }

    /// An instruction that does more with small numbers than to move or to convert them computes.
    fn instruction(&mut self, inst: &Instruction<'_>, roles: &[Role]) {
        use Op::{CopyObject, Decorate, DecorateId, FConvert, Load, SConvert, Store, UConvert};
        let moves = matches!(inst.op, Load | Store | CopyObject | FConvert | SConvert | UConvert);
        let free = moves || matches!(inst.op, Decorate | DecorateId);
        let (mut ty, mut used) = (0, 0);
        for (&word, role) in inst.operands.iter().zip(roles) {
            match role {
                Role::Type => ty = self.held(word),
                Role::Result if ty != 0 => drop(self.held.insert(word, ty)),
                Role::Id => used |= self.held(word),
                Role::Result | Role::Literal => {}
            }
        }
        if !free {
            self.computed |= ty | used;
        }
    }

    fn capabilities(&self) -> Vec<Capability> {
        let mut needed: Vec<Capability> = Vec::new();
        for &(capability, held, memory) in &CAPABILITIES {
            let wanted = match memory {
                None => self.computed & held != 0,
                Some(class) => self
                    .stored
                    .iter()
                    .any(|stored| kind_of_memory(stored.0) == Some(class) && stored.1 & held != 0),
            };
            // Uniform blocks have what storage buffers have.
            let implied = capability == Capability::StorageBuffer16BitAccess
                && needed.contains(&Capability::UniformAndStorageBuffer16BitAccess)
                || capability == Capability::StorageBuffer8BitAccess
                    && needed.contains(&Capability::UniformAndStorageBuffer8BitAccess);
            if wanted && !implied {
                needed.push(capability);
            }
        }
        self.declare_unused(&mut needed);
        needed
    }

    /// A type that nothing uses has to be allowed all the same.
    fn declare_unused(&self, needed: &mut Vec<Capability>) {
        let rows = |capability: &Capability| CAPABILITIES.iter().find(|row| row.0 == *capability);
        for (capability, held, _) in &CAPABILITIES[..3] {
            let allowed = needed.iter().filter_map(rows).any(|row| row.1 & held != 0);
            if self.declared & held != 0 && !allowed {
                needed.push(*capability);
            }
        }
    }
}

/// The class of the table that stands for a class of memory; `None` for memory of the invocation.
fn kind_of_memory(class: StorageClass) -> Option<StorageClass> {
    use StorageClass as C;
    Some(match class {
        C::Uniform => C::Uniform,
        C::StorageBuffer | C::PhysicalStorageBuffer | C::ShaderRecordBufferKHR => C::StorageBuffer,
        C::PushConstant => C::PushConstant,
        C::Input | C::Output => C::Input,
        _ => return None,
    })
}
