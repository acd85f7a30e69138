//! Collects findings: each once, with the nearest label, in a useful order.

use super::Rule;
use crate::container::{Dvle, Shbin};
use chiaro_isa::finding::{Finding, Severity};
use std::collections::{BTreeMap, HashSet};

#[derive(Default)]
pub(super) struct Report {
    /// What is less severe is counted and not kept.
    least: Option<Severity>,
    /// Each with the executable that it is about, which orders them: the text of a place does not
    /// always name it.
    findings: Vec<(Option<usize>, Finding)>,
    /// Times that each rule was broken, repetitions included.
    counts: Vec<(&'static str, usize)>,
    seen: HashSet<(&'static str, Option<u32>, String)>,
    labels: Vec<BTreeMap<u32, String>>,
    dvle: Option<usize>,
}

impl Report {
    pub(super) fn new(file: &Shbin, least: Severity) -> Report {
        let labels = file.executables.iter().map(|dvle| {
            let named =
                dvle.labels.iter().filter_map(|l| Some((l.offset, short_name(dvle, l.name)?.to_string())));
            named.collect()
        });
        Report { least: Some(least), labels: labels.collect(), ..Report::default() }
    }

    /// Whether breaches of a rule are kept: their messages need not be written otherwise.
    pub(super) fn wants(&self, rule: &Rule) -> bool {
        self.least.is_none_or(|least| rule.severity >= least)
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

    /// How often one of these rules was broken, by this executable or another.
    pub(super) fn count(&self, rules: &[&Rule]) -> usize {
        let asked = |id: &str| rules.iter().any(|rule| rule.id == id);
        self.counts.iter().filter(|(id, _)| asked(id)).map(|(_, times)| times).sum()
    }

    /// Whether the current executable has findings of the doubtful rules.
    pub(super) fn doubts(&self, doubtful: &[(&Rule, &[&Rule])]) -> bool {
        let of = |finding: &Finding| doubtful.iter().any(|(rule, _)| *rule == finding.rule);
        self.findings.iter().any(|(dvle, finding)| *dvle == self.dvle && of(finding))
    }

    /// Drops doubtful findings of the current executable where another report has none of the
    /// rules that would confirm them at the same word.
    pub(super) fn keep_confirmed(&mut self, doubtful: &[(&Rule, &[&Rule])], other: &Report) {
        let known: HashSet<(&str, Option<u32>)> =
            other.findings.iter().map(|(_, f)| (f.rule.id, f.at)).collect();
        let current = self.dvle;
        self.findings.retain(|(dvle, finding)| {
            let confirming = doubtful.iter().find(|(rule, _)| *rule == finding.rule);
            let confirmed =
                |(_, by): &(_, &[&Rule])| by.iter().any(|rule| known.contains(&(rule.id, finding.at)));
            *dvle != current || confirming.is_none_or(confirmed)
        });
    }

    /// Executables share code: a finding about it is reported once, for the first of them.
    fn add(&mut self, rule: &'static Rule, word: Option<u32>, message: String) {
        match self.counts.iter_mut().find(|(id, _)| *id == rule.id) {
            Some((_, times)) => *times += 1,
            None => self.counts.push((rule.id, 1)),
        }
        if !self.wants(rule) {
            return;
        }
        let scope = if word.is_some() { String::new() } else { format!("{:?}", self.dvle) };
        if !self.seen.insert((rule.id, word, format!("{scope}{message}"))) {
            return;
        }
        let finding = Finding { rule, at: word, place: self.place(word), message };
        self.findings.push((self.dvle, finding));
    }

    /// The executable, where the file has several, and the nearest label.
    fn place(&self, word: Option<u32>) -> Option<String> {
        let dvle = self.dvle.filter(|_| self.labels.len() > 1).map(|n| format!("DVLE {n}"));
        let label = word.and_then(|word| self.label(word));
        let places: Vec<String> = [dvle, label].into_iter().flatten().collect();
        (!places.is_empty()).then(|| places.join(", "))
    }

    /// The nearest label at or before a word, with the distance: `loop+3`.
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
        self.findings.sort_by_key(|(dvle, finding)| (*dvle, finding.at));
        self.findings.into_iter().map(|(_, finding)| finding).collect()
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
