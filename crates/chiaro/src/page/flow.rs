//! Blocks and the ways between them as a picture.

use chiaro::timeline::Timeline;
use layout::backends::svg::SVGWriter;
use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::geometry::Point;
use layout::core::style::StyleAttr;
use layout::std_shapes::shapes::{Arrow, Element, ShapeKind};
use layout::topo::layout::VisualGraph;

use super::code::{cycles, heat};
use crate::made::Made;

/// Blocks that are drawn: beyond that nobody finds anything in a picture.
const MOST_BLOCKS: usize = 120;

/// Size of text, and about how much room a character takes.
const FONT: usize = 11;

/// The graph, each block with its instructions and cycles.
pub fn graph(made: &Made, timeline: &Timeline) -> String {
    let blocks = made.anatomy.blocks();
    if blocks.len() < 2 {
        return "<p class=note>one block: the code runs straight on</p>\n".to_owned();
    }
    if blocks.len() > MOST_BLOCKS {
        return format!("<p class=note>{} blocks; up to {MOST_BLOCKS} are drawn</p>\n", blocks.len());
    }
    let cycles = cycles(made, timeline);
    let sums: Vec<u64> = blocks.iter().map(|block| cycles[block.instructions.clone()].iter().sum()).collect();
    let most = sums.iter().copied().max().unwrap_or(1);
    let mut graph = VisualGraph::new(Orientation::TopToBottom);
    let mut nodes = Vec::new();
    for (block, sum) in blocks.iter().zip(&sums) {
        let (first, last) = (block.instructions.start, block.instructions.end - 1);
        let label = format!("{first} to {last}\n{sum} cycles");
        let fill = u32::from_str_radix(&heat(*sum, most)[1..], 16).unwrap_or(0xff_ff_ff) << 8 | 0xff;
        let look = StyleAttr::new(Color::new(0x33_3b_4d_ff), 1, Some(Color::new(fill)), 4, FONT);
        let size = Point::new(20.0 + 7.5 * label.lines().map(str::len).max().unwrap_or(1) as f64, 44.0);
        nodes.push(graph.add_node(Element::create(
            ShapeKind::new_box(&label),
            look,
            Orientation::TopToBottom,
            size,
        )));
    }
    for (block, node) in blocks.iter().zip(&nodes) {
        for to in &block.next {
            graph.add_edge(Arrow::simple(""), *node, nodes[*to]);
        }
    }
    let mut canvas = SVGWriter::new();
    graph.do_it(false, false, false, &mut canvas);
    let svg = canvas.finalize();
    // Inside of a page it has no head of its own.
    let start = svg.find("<svg").unwrap_or(0);
    format!("<div class=wide>{}</div>\n", &svg[start..])
}
