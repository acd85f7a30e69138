//! Configuration registers: what a driver writes to load a program. Numbers count words; each shader
//! unit has the same registers from a base of its own. spec section 17.

/// Registers under the names of their sources, without `GPUREG_`, as constants and as a table of first
/// number, how many there are in a row, and name.
macro_rules! registers {
    ($(#[$doc:meta])* $table:ident { $($name:ident = $number:literal, $count:literal;)* }) => {
        $(#[allow(missing_docs, reason = "the name is the source's")]
        pub const $name: u16 = $number;)*
        $(#[$doc])*
        pub static $table: &[(u16, u16, &str)] = &[$(($number, $count, stringify!($name))),*];
    };
}

registers! {
    /// Of each unit, counted from its base.
    OF_A_UNIT {
        BOOLUNIFORM = 0x00, 1;
        INTUNIFORM = 0x01, 4;
        INPUTBUFFER_CONFIG = 0x09, 1;
        ENTRYPOINT = 0x0a, 1;
        ATTRIBUTES_PERMUTATION = 0x0b, 2;
        OUTMAP_MASK = 0x0d, 1;
        CODETRANSFER_END = 0x0f, 1;
        FLOATUNIFORM_INDEX = 0x10, 1;
        FLOATUNIFORM_DATA = 0x11, 8;
        CODETRANSFER_INDEX = 0x1b, 1;
        CODETRANSFER_DATA = 0x1c, 8;
        OPDESCS_INDEX = 0x25, 1;
        OPDESCS_DATA = 0x26, 8;
    }
}

registers! {
    /// Of the whole pipeline.
    OF_THE_PIPELINE {
        SH_OUTMAP_TOTAL = 0x04f, 1;
        SH_OUTMAP_O = 0x050, 7;
        SH_OUTATTR_MODE = 0x064, 1;
        SH_OUTATTR_CLOCK = 0x06f, 1;
        GEOSTAGE_CONFIG = 0x229, 1;
        VSH_NUM_ATTR = 0x242, 1;
        VSH_COM_MODE = 0x244, 1;
        VSH_OUTMAP_TOTAL1 = 0x24a, 1;
        VSH_OUTMAP_TOTAL2 = 0x251, 1;
        GSH_MISC0 = 0x252, 1;
        GSH_MISC1 = 0x254, 1;
        PRIMITIVE_CONFIG = 0x25e, 1;
    }
}

/// Where the registers of the geometry unit begin.
pub const GEOMETRY: u16 = 0x280;
/// Where the registers of the vertex units begin.
pub const VERTEX: u16 = 0x2b0;

/// A register's name: `VSH_ENTRYPOINT`, `SH_OUTMAP_O2`. Nothing for those that no table has.
pub fn name(register: u16) -> Option<String> {
    let units = [(GEOMETRY, "GSH_", OF_A_UNIT), (VERTEX, "VSH_", OF_A_UNIT), (0, "", OF_THE_PIPELINE)];
    units.into_iter().find_map(|(base, prefix, table)| {
        let offset = register.checked_sub(base)?;
        let (first, count, name) =
            table.iter().find(|(first, count, _)| (*first..first + count).contains(&offset))?;
        // Eight in a row are one transfer register; shorter rows are numbered.
        let number = if (2..8).contains(count) { (offset - first).to_string() } else { String::new() };
        Some(format!("{prefix}{name}{number}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_have_the_names_of_their_sources() {
        for (register, expected) in [
            (0x2cb, Some("VSH_CODETRANSFER_INDEX")),
            (0x2cd, Some("VSH_CODETRANSFER_DATA")),
            (0x28a, Some("GSH_ENTRYPOINT")),
            (0x052, Some("SH_OUTMAP_O2")),
            (0x2b1, Some("VSH_INTUNIFORM0")),
            (0x2b5, None),
            (0, None),
        ] {
            assert_eq!(name(register).as_deref(), expected, "{register:#x}");
        }
    }
}
