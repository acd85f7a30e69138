//! How many registers hold something, instruction by instruction.

use std::fmt::Write;

use crate::made::Made;
use crate::markup::escape;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 160.0;
const COLOURS: [&str; 4] = ["#3b6fb6", "#d98324", "#2a9d6f", "#7a5fb0"];

/// A curve for each file of registers.
pub fn curve(made: &Made) -> String {
    let pressure = made.anatomy.pressure();
    let of = |file: u8| -> Vec<u32> {
        let at = |all: &Vec<(u8, u32)>| all.iter().find(|(known, _)| *known == file).map_or(0, |(_, n)| *n);
        pressure.iter().map(at).collect()
    };
    let curves: Vec<(&str, Vec<u32>)> = made
        .anatomy
        .files
        .iter()
        .map(|(file, name)| (*name, of(*file)))
        .filter(|(_, all)| all.iter().any(|n| *n > 0))
        .collect();
    let most = curves.iter().flat_map(|(_, all)| all).copied().max().unwrap_or(0);
    if most == 0 {
        return "<p class=note>the target's code does not say it</p>\n".to_owned();
    }
    let mut out = format!("<p class=legend>at most {most}");
    for ((name, all), colour) in curves.iter().zip(COLOURS) {
        let peak = all.iter().copied().max().unwrap_or(0);
        let at = all.iter().position(|n| *n == peak).unwrap_or(0);
        let _ = write!(
            out,
            "<span style=\"background:{colour}\"></span>{}: {peak} behind instruction {at}",
            escape(name)
        );
    }
    let _ = writeln!(
        out,
        "</p>\n<svg viewBox=\"0 0 {} {}\" width=\"{}\" font-size=\"10\">",
        WIDTH + 40.0,
        HEIGHT + 32.0,
        WIDTH + 40.0
    );
    let y = |n: u32| 12.0 + HEIGHT - HEIGHT * f64::from(n) / f64::from(most);
    let x = |n: usize| 30.0 + WIDTH * n as f64 / pressure.len().max(1) as f64;
    for mark in [0, most.div_ceil(2), most] {
        let _ = writeln!(
            out,
            "<line x1=\"30\" x2=\"{}\" y1=\"{1:.1}\" y2=\"{1:.1}\" stroke=\"#dfe3e8\"/><text x=\"2\" y=\"{1:.1}\">{mark}</text>",
            WIDTH + 30.0,
            y(mark)
        );
    }
    for ((_, all), colour) in curves.iter().zip(COLOURS) {
        let mut path = String::new();
        for (n, value) in all.iter().enumerate() {
            let command = if n == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{command}{:.1} {:.1} H{:.1} ", x(n), y(*value), x(n + 1));
        }
        let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>");
    }
    let _ = writeln!(
        out,
        "<text x=\"30\" y=\"{}\">instruction 0</text><text x=\"{}\" y=\"{0}\" text-anchor=\"end\">{}</text></svg>",
        HEIGHT + 28.0,
        WIDTH + 30.0,
        pressure.len()
    );
    out
}
