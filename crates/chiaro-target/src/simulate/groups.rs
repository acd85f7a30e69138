//! Groups of a dispatch: how many there are, and how large they are.

use chiaro_diag::Diagnostic;

use super::Work;

/// Groups that a run takes: more are a mistake more often than a wish.
const MOST_GROUPS: u64 = 1 << 20;

impl Work {
    /// How many groups are asked for; one if nobody says. `wanted` says what the machine runs, for messages.
    ///
    /// # Errors
    /// More than a run takes, or something else than groups.
    pub fn groups(&self, wanted: &str) -> Result<[u32; 3], Vec<Diagnostic>> {
        let refuse = |message: String| Err(vec![Diagnostic::error(None, message)]);
        match self {
            Work::Dispatch(groups) => {
                let count = groups.iter().try_fold(1_u64, |all, n| all.checked_mul((*n).into()));
                match count.filter(|count| *count <= MOST_GROUPS) {
                    // Whoever goes through one direction after the other is not kept by the others.
                    Some(0) => Ok([0; 3]),
                    Some(_) => Ok(*groups),
                    None => {
                        refuse(format!("{groups:?} groups are asked for; a run takes {MOST_GROUPS} at most"))
                    }
                }
            }
            Work::Vertices(given) if given.columns.is_empty() => Ok([1; 3]),
            other => refuse(format!("{wanted}, and the inputs have {}", other.name())),
        }
    }
}

/// The threads of a group along its directions, as the assumption `local-size` takes them: one to three numbers.
/// `group` is what a target calls it.
///
/// # Errors
/// Something else, or more threads than a group can have.
pub fn local_size(value: &str, most: u32, group: &str) -> Result<[u32; 3], String> {
    let numbers: Result<Vec<u32>, _> = value.split(',').map(str::parse).collect();
    let numbers = numbers.ok().filter(|all| all.len() <= 3 && !all.contains(&0));
    let numbers =
        numbers.ok_or_else(|| format!("`local-size` does not take `{value}`: it takes N[,N[,N]]"))?;
    let mut size = [1; 3];
    size.iter_mut().zip(numbers).for_each(|(to, n)| *to = n);
    let threads = size.iter().fold(1_u32, |all, n| all.saturating_mul(*n));
    if threads > most {
        return Err(format!("a {group} can have {most} threads, {threads} are asked for"));
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::{MOST_GROUPS, Work};

    #[test]
    fn groups_are_as_many_as_a_run_takes() {
        let groups = |n| Work::Dispatch(n).groups("groups are wanted").ok();
        assert_eq!(groups([3, 2, 1]), Some([3, 2, 1]));
        assert_eq!(groups([MOST_GROUPS as u32, 1, 1]), Some([MOST_GROUPS as u32, 1, 1]));
        assert_eq!(groups([MOST_GROUPS as u32, 2, 1]), None);
        assert_eq!(groups([u32::MAX; 3]), None);
        assert_eq!(groups([0, u32::MAX, u32::MAX]), Some([0; 3]));
        assert_eq!(groups([u32::MAX, u32::MAX, 0]), Some([0; 3]));
    }
}
