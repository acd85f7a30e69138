//! Chunks to bytes.

use super::{Chunk, Core, Mbs, Symbol, Symbols, Table};

pub(super) fn file(mbs: &Mbs) -> Vec<u8> {
    let mut out = Vec::new();
    nested(*b"MBS1", &mut out, |out| {
        let (tag, number) = match mbs.core {
            Core::Vertex(number) => (*b"CVER", number),
            Core::Fragment(number) => (*b"CFRA", number),
        };
        nested(tag, out, |out| {
            put(out, number);
            mbs.chunks.iter().for_each(|c| chunk(c, out));
        });
    });
    out.extend(&mbs.behind);
    out
}

pub(super) fn chunk(chunk: &Chunk, out: &mut Vec<u8>) {
    match chunk {
        Chunk::Instructions { unknown, count, prefetch } => nested(*b"FINS", out, |out| {
            [unknown, count, prefetch].into_iter().for_each(|&n| put(out, n));
        }),
        Chunk::Symbols(symbols) => table(symbols, out),
        Chunk::Code(bytes) => nested(*b"DBIN", out, |out| out.extend(bytes)),
        Chunk::Raw { tag, bytes } => nested(*tag, out, |out| out.extend(bytes)),
    }
}

fn table(symbols: &Symbols, out: &mut Vec<u8>) {
    let (outer, inner) = match symbols.table {
        Table::Uniforms => (*b"SUNI", *b"VUNI"),
        Table::Attributes => (*b"SATT", *b"VATT"),
        Table::Varyings => (*b"SVAR", *b"VVAR"),
    };
    nested(outer, out, |out| {
        put(out, symbols.list.len() as u32);
        if symbols.table == Table::Uniforms {
            put(out, symbols.size);
        }
        for one in &symbols.list {
            nested(inner, out, |out| symbol(symbols.table, one, out));
        }
    });
}

fn symbol(table: Table, symbol: &Symbol, out: &mut Vec<u8>) {
    nested(*b"STRI", out, |out| {
        out.extend(symbol.name.as_bytes());
        // At least one zero ends the name, then zeros up to a multiple of four.
        out.resize(out.len() + 4 - symbol.name.len() % 4, 0);
    });
    out.extend([0, symbol.kind]);
    let Symbol { components, size, entries, stride, .. } = *symbol;
    out.extend([components, size, entries, stride].iter().flat_map(|n| n.to_le_bytes()));
    out.extend([symbol.flags, symbol.precision]);
    if table == Table::Attributes {
        out.extend((symbol.invariant as u16).to_le_bytes());
        out.extend(symbol.offset.to_le_bytes());
    } else {
        put(out, symbol.invariant);
        out.extend(symbol.offset.to_le_bytes());
        out.extend(symbol.parent.to_le_bytes());
    }
    if let Some(words) = symbol.index {
        nested(*b"VIDX", out, |out| {
            for (tag, word) in [*b"ITDR", *b"IYUV", *b"IGRD"].into_iter().zip(words) {
                nested(tag, out, |out| put(out, word));
            }
        });
    }
    if let Some(values) = &symbol.init {
        nested(*b"VINI", out, |out| {
            put(out, values.len() as u32);
            values.iter().for_each(|&n| put(out, n));
        });
    }
}

/// A chunk around what a closure writes.
fn nested(tag: [u8; 4], out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    out.extend(tag);
    let size = out.len();
    put(out, 0);
    body(out);
    let written = (out.len() - size - 4) as u32;
    out[size..size + 4].copy_from_slice(&written.to_le_bytes());
}

fn put(out: &mut Vec<u8>, n: u32) {
    out.extend(n.to_le_bytes());
}
