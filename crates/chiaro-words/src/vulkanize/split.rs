//! Samplers and images that leave structures and arrays of arrays.

use chiaro_diag::Diagnostic;

use crate::module::Variable;
use crate::scan::Shape;
use crate::write::Id;

use super::Pass;

/// A sampler or image that was a member of a structure, or in an array of arrays.
pub(super) struct Split {
    pub(super) id: Id,
    pub(super) root: Id,
    /// Members on the way to it, without the indices of arrays.
    pub(super) path: Vec<u32>,
    /// Sizes of the arrays on the way, the outermost first.
    pub(super) dims: Vec<u32>,
    /// Its type without arrays.
    pub(super) ty: Id,
}

impl Pass<'_> {
    /// A variable for each opaque leaf of the loose variables.
    pub(super) fn split_samplers(&mut self) -> Result<(), Box<Diagnostic>> {
        for i in 0..self.loose.len() {
            let global = self.loose[i].global;
            self.split(global.id, global.ty, &mut Vec::new(), &mut Vec::new())?;
        }
        Ok(())
    }

    fn split(
        &mut self,
        root: Id,
        ty: Id,
        path: &mut Vec<u32>,
        dims: &mut Vec<u32>,
    ) -> Result<(), Box<Diagnostic>> {
        if !self.scan.holds_opaque(ty) {
            return Ok(());
        }
        match self.scan.shape(ty) {
            Shape::Array(elem, size) => {
                dims.push(size);
                self.split(root, elem, path, dims)?;
                dims.pop();
            }
            Shape::Struct(members) => {
                for (i, &member) in members.iter().enumerate() {
                    path.push(i as u32);
                    self.split(root, member, path, dims)?;
                    path.pop();
                }
            }
            _ if self.splits.len() >= Variable::MOST_LEAVES => {
                return Err(self.error("the module has too many samplers inside of structures"));
            }
            _ => {
                self.by_path.insert((root, path.clone()), self.splits.len());
                let id = self.out.fresh();
                self.splits.push(Split { id, root, path: path.clone(), dims: dims.clone(), ty });
            }
        }
        Ok(())
    }

    /// `lights.tex` for what the host knows as `lights[0].tex` and so on.
    pub(super) fn split_name(&self, split: usize) -> String {
        let Split { root, path, .. } = &self.splits[split];
        let mut name = self.scan.name(*root);
        let mut ty = self.loose[self.roots[root]].global.ty;
        for &member in path {
            ty = self.scan.without_arrays(ty).0;
            name = format!("{name}.{}", self.scan.member_name(ty, member));
            if let Shape::Struct(members) = self.scan.shape(ty) {
                ty = members[member as usize];
            }
        }
        name
    }

    /// The names by which the host knows the elements of a sampler that left its structure.
    pub(super) fn leaf_names(&self, split: usize) -> Vec<String> {
        let Split { root, path, .. } = &self.splits[split];
        let mut names = vec![self.scan.name(*root)];
        let mut ty = self.loose[self.roots[root]].global.ty;
        let mut members = path.iter();
        loop {
            match self.scan.shape(ty) {
                Shape::Array(elem, size) => {
                    let each = |name: &String| (0..size).map(|i| format!("{name}[{i}]")).collect::<Vec<_>>();
                    let most = Variable::MOST_LEAVES;
                    names = names
                        .iter()
                        .take(most)
                        .flat_map(|n| each(n).into_iter().take(most))
                        .take(most)
                        .collect();
                    ty = elem;
                }
                Shape::Struct(types) => {
                    let Some(&member) = members.next() else { return names };
                    let member_name = self.scan.member_name(ty, member);
                    names.iter_mut().for_each(|name| *name = format!("{name}.{member_name}"));
                    ty = types[member as usize];
                }
                _ => return names,
            }
        }
    }
}
