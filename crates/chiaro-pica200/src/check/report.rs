//! Collects findings: each once, with the nearest label, in a useful order.

use super::{Finding, Rule};
use crate::container::{Dvle, Shbin};
use std::collections::{BTreeMap, HashSet};

pub(super) struct Report {
    findings: Vec<Finding>,
    seen: HashSet<(&'static str, Option<u32>, String)>,
    labels: Vec<BTreeMap<u32, String>>,
    dvle: Option<usize>,
}

impl Report {
    pub(super) fn new(file: &Shbin) -> Report {
        let labels = file.executables.iter().map(|dvle| {
            let named =
                dvle.labels.iter().filter_map(|l| Some((l.offset, short_name(dvle, l.name)?.to_string())));
            named.collect()
        });
        Report { findings: Vec::new(), seen: HashSet::new(), labels: labels.collect(), dvle: None }
    }

    /// What follows is about this executable, or about the file.
    pub(super) fn enter(&mut self, dvle: Option<usize>) {
        self.dvle = dvle;
    }

    /// A finding without a place in the code.
    pub(super) fn file(&mut self, rule: &'static Rule, message: String) {
        self.add(rule, None, message);
    }

    /// A finding about a word.
    pub(super) fn word(&mut self, rule: &'static Rule, word: u32, message: String) {
        self.add(rule, Some(word), message);
    }

    /// How many findings break one of these rules.
    pub(super) fn count(&self, rules: &[&Rule]) -> usize {
        self.findings.iter().filter(|finding| rules.contains(&finding.rule)).count()
    }

    /// Executables share code: a finding about it is told once, for the first of them.
    fn add(&mut self, rule: &'static Rule, word: Option<u32>, message: String) {
        let scope = if word.is_some() { String::new() } else { format!("{:?}", self.dvle) };
        if !self.seen.insert((rule.id, word, format!("{scope}{message}"))) {
            return;
        }
        let label = word.and_then(|word| self.label(word));
        self.findings.push(Finding { rule, word, dvle: self.dvle, label, message });
    }

    fn label(&self, word: u32) -> Option<String> {
        let tables = match self.dvle {
            Some(n) => self.labels.get(n..=n)?,
            None => &self.labels,
        };
        let before = tables.iter().filter_map(|labels| labels.range(..=word).next_back());
        let (offset, name) = before.max_by_key(|(offset, _)| **offset)?;
        Some(if *offset == word { name.clone() } else { format!("{name}+{}", word - offset) })
    }

    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.findings.sort_by_key(|finding| (finding.dvle, finding.word));
        self.findings
    }
}

/// Longer names are left out of findings: a hostile file may have many that share their bytes.
const LONGEST_NAME: usize = 256;

/// The name at an offset of the symbols, if it is text of a sensible length.
pub(super) fn short_name(dvle: &Dvle, offset: u32) -> Option<&str> {
    let tail = dvle.symbols.get(offset as usize..)?;
    let end = tail.iter().take(LONGEST_NAME).position(|&byte| byte == 0)?;
    std::str::from_utf8(&tail[..end]).ok()
}
