//! Which buffers and images a unit names, and where they stand: in descriptor sets, or among the arguments of a kernel
//! (spec section 17).

use chiaro_ir::{Dim, Field, GlobalRef, Space, Ty, Type, fields};
use chiaro_mach::Outcome;

use super::Select;
use crate::abi::interface::{ADDRESS, Abi, Bound, Resource};
use crate::abi::layout;

impl Select<'_> {
    /// Buffers and images that functions of the unit name, with their places in sets or among arguments.
    pub(super) fn bind(&mut self) -> Outcome {
        let mut named: Vec<GlobalRef> = self.named(&self.unit.order);
        named.sort_by_key(|g| {
            let binding = &self.module.global(*g).binding;
            (binding.set, binding.binding, g.0)
        });
        named.dedup();
        let mut next: (u32, u32) = (0, 0);
        for g in named {
            let global = self.module.global(g);
            let (ty, count) = match self.module.types.get(global.ty) {
                Type::Array(elem, n, _) if global.space != Space::PushConstant => (*elem, *n),
                Type::RuntimeArray(elem, _) => (*elem, 0),
                _ => (global.ty, 1),
            };
            let Some(resource) = self.resource(g, ty) else { continue };
            if resource == Resource::Push {
                self.interface.push_bytes = layout::size(self.module, ty, Space::PushConstant);
            }
            let (set, binding) = self.bound_at(g, resource)?;
            if self.is_bound((set, binding), resource) {
                continue;
            }
            let [size, align] = match (self.options.abi, resource) {
                (_, Resource::Push) => [self.interface.push_bytes.next_multiple_of(4), 8],
                (Abi::Hsa, _) => [ADDRESS * resource.handles().len() as u32, ADDRESS],
                _ => resource.bytes(),
            };
            if self.options.abi == Abi::Vulkan && (set != next.0 || resource == Resource::Push) {
                next = (set, 0);
            }
            self.check_argument(g, count)?;
            let offset = next.1.next_multiple_of(align);
            let name = self.own_name(g);
            let binding = if resource == Resource::Push { (u32::MAX, 0) } else { (set, binding) };
            let numbers = self.number_type(ty);
            let members = self.members(ty, global.space);
            let bound = Bound { name, binding, resource, numbers, members, offset, size, count };
            self.interface.resources.push(bound);
            if !(resource == Resource::Push && self.options.abi == Abi::Vulkan) {
                next.1 = offset + size * count;
            }
        }
        Ok(())
    }

    /// That arguments of a kernel can be a resource, if they have to be.
    fn check_argument(&self, g: GlobalRef, count: u32) -> Outcome {
        if self.options.abi != Abi::Hsa || count > 0 {
            return Ok(());
        }
        let global = self.module.global(g);
        self.error(
            global.span,
            format!("`{}` is an array without a size, which arguments of HSA kernels cannot be", global.name),
            "say how many elements it has, or compile for descriptor sets: `-m abi=vulkan`",
        )
    }

    /// Set and binding of a resource; push constants have none.
    fn bound_at(&self, g: GlobalRef, resource: Resource) -> Outcome<(u32, u32)> {
        let global = self.module.global(g);
        match (global.binding.binding, resource) {
            (Some(binding), _) => Ok((global.binding.set.unwrap_or(0), binding)),
            (None, Resource::Push) => Ok((0, 0)),
            _ => self.error(
                global.span,
                format!("`{}` has no binding: nothing says where it is", self.name_of(g)),
                "decorate it with DescriptorSet and Binding, in GLSL `layout(set = 0, binding = 0)`",
            ),
        }
    }

    /// Whether another variable is the same resource.
    fn is_bound(&self, binding: (u32, u32), resource: Resource) -> bool {
        let is_same = |b: &Bound| b.binding == binding && b.resource == resource;
        resource != Resource::Push && self.interface.resources.iter().any(is_same)
    }

    /// A name that no other resource has.
    fn own_name(&self, g: GlobalRef) -> String {
        let name = self.name_of(g);
        let is_taken = |name: &str| self.interface.resources.iter().any(|b| b.name == name);
        let numbered = || (1..).map(|n| format!("{name}_{n}")).find(|name| !is_taken(name));
        if is_taken(&name) { numbered().unwrap_or_default() } else { name }
    }

    /// The name of a block as the source has it: that of its only member, where the block has none.
    fn name_of(&self, g: GlobalRef) -> String {
        let global = self.module.global(g);
        let mut ty = global.ty;
        while let Type::Array(elem, ..) | Type::RuntimeArray(elem, _) = self.module.types.get(ty) {
            ty = *elem;
        }
        match self.module.types.get(ty) {
            Type::Struct(_, members) if global.name.is_empty() && members.len() == 1 => {
                members[0].name.clone()
            }
            Type::Struct(name, _) if global.name.is_empty() => name.clone(),
            _ => global.name.clone(),
        }
    }

    /// The members of a block. One whose numbers are of one type and lie one behind the other needs no names.
    fn members(&self, ty: Ty, space: Space) -> Vec<Field> {
        let place = |ty, n| layout::part_offset(self.module, ty, n, space);
        let fields = match space {
            Space::PushConstant | Space::Uniform | Space::Storage => fields(self.module, ty, 32, &place),
            _ => Vec::new(),
        };
        match fields.as_slice() {
            [one] if space != Space::PushConstant && one.bits == 32 && is_dense(one) => Vec::new(),
            _ => fields,
        }
    }

    /// The type of all numbers in a type, if it is one.
    fn number_type(&self, ty: Ty) -> Option<&'static str> {
        match self.module.types.get(ty) {
            Type::Int(32) => Some("uint"),
            Type::Float(32) => Some("float"),
            Type::Image(image) | Type::SampledImage(image) => self.number_type(image.component),
            Type::Struct(_, members) => {
                let mut all = members.iter().map(|member| self.number_type(member.ty));
                let first = all.next()??;
                all.all(|other| other == Some(first)).then_some(first)
            }
            Type::Vector(elem, _) | Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => {
                self.number_type(*elem)
            }
            _ => None,
        }
    }

    /// What a variable stands for, or one of its elements, which have a type.
    fn resource(&self, g: GlobalRef, ty: Ty) -> Option<Resource> {
        Some(match (self.module.global(g).space, self.module.types.get(ty)) {
            _ if self.unit.prints == Some(g) => Resource::Prints,
            (Space::Storage, _) => Resource::Storage,
            (Space::Uniform, _) => Resource::Uniform,
            (Space::PushConstant, _) => Resource::Push,
            (Space::UniformConstant, Type::Image(image) | Type::SampledImage(image))
                if image.dim == Dim::Buffer =>
            {
                if image.storage {
                    Resource::StorageTexels
                } else {
                    Resource::UniformTexels
                }
            }
            (Space::UniformConstant, Type::Image(_)) => Resource::Image,
            (Space::UniformConstant, Type::SampledImage(_)) => Resource::Sampled,
            (Space::UniformConstant, Type::Sampler) => Resource::Sampler,
            _ => return None,
        })
    }
}

/// Whether the scalars of a field lie one behind the other.
fn is_dense(field: &Field) -> bool {
    let mut next = u32::from(field.bits) / 8;
    field.rows.iter().rev().all(|&(count, stride)| {
        let fits = stride == next;
        next = stride.saturating_mul(count);
        fits
    })
}
