//! Rows of bits: one dense set per block.

/// So many sets over the same range of numbers, in one piece of memory.
#[derive(Clone, Debug)]
pub struct BitRows {
    words: Vec<u64>,
    /// Words of one row.
    stride: usize,
}

impl BitRows {
    /// `rows` empty sets of numbers below `bits`.
    pub fn new(rows: usize, bits: usize) -> BitRows {
        let stride = bits.div_ceil(64);
        BitRows { words: vec![0; rows * stride], stride }
    }

    /// The words of a set, the lowest numbers first.
    pub fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.stride..(row + 1) * self.stride]
    }

    /// The words of a set, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.words[row * self.stride..(row + 1) * self.stride]
    }

    /// Whether a set has this number.
    pub fn has(&self, row: usize, bit: usize) -> bool {
        self.words[row * self.stride + bit / 64] >> (bit % 64) & 1 != 0
    }

    /// Puts a number into a set.
    pub fn insert(&mut self, row: usize, bit: usize) {
        self.words[row * self.stride + bit / 64] |= 1 << (bit % 64);
    }

    /// The numbers of a set in rising order.
    pub fn iter(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        ones(self.row(row))
    }
}

/// The numbers of the set bits in rising order.
pub fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(i, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            (rest != 0).then(|| {
                rest &= rest - 1;
                i * 64 + bit
            })
        })
    })
}
