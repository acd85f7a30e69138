//! How pages look, on screens and on paper.

/// The style sheet.
pub const STYLE: &str = "\
:root { color-scheme: light; --line: #dfe3e8; --ink: #1d2430; --soft: #5b6575; }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: #fff; margin: 1.5rem 2rem; }
h1 { font-size: 1.35rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; border-top: 2px solid var(--ink); padding-top: .6rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
pre, .code td { font: 12px/1.4 ui-monospace, 'DejaVu Sans Mono', monospace; }
.note, footer { color: var(--soft); font-size: 12px; }
.columns { display: flex; flex-wrap: wrap; gap: 2rem; align-items: flex-start; }
.figures { margin: 0; }
table { border-collapse: collapse; } th { text-align: left; font-weight: 600; }
th, td { padding: 1px 8px; border-bottom: 1px solid var(--line); vertical-align: top; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
.counts { min-width: 8em; } .counts span { white-space: nowrap; }
.causes td { border: 0; } .bar { width: 220px; } .bar span { display: inline-block; height: 10px; min-width: 1px; }
.code { width: 100%; table-layout: fixed; } .code td { white-space: pre-wrap; overflow-wrap: anywhere; }
.code .no { width: 44px; text-align: right; color: var(--soft); } .code .source { width: 42%; }
.code .cycles { width: 64px; text-align: right; font-variant-numeric: tabular-nums; }
.code div { padding-left: 5px; border-left: 4px solid transparent; }
.minus { background: #fdecea; } .plus { background: #e8f5ec; } .tilde { background: #fff7e0; } .moved { background: #e9f0fb; }
.wide { overflow-x: auto; } svg { max-width: 100%; height: auto; }
.legend span { display: inline-block; width: 10px; height: 10px; margin: 0 4px 0 12px; }
@media print {
  body { margin: 0; font-size: 10px; } pre, .code td, .note { font-size: 8px; }
  .wide { overflow: visible; } .wide table { font-size: 7.5px; } .wide th, .wide td { padding: 1px 4px; }
  h2 { break-before: page; } h2:first-of-type { break-before: avoid; } h3 { break-after: avoid; }
  tr, svg { break-inside: avoid; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
";
