//! Listings: every file spelled out reads back to the same bytes.

use chiaro_diag::FileId;
use chiaro_isa::Rng;
use chiaro_pica200::container::Shbin;
use chiaro_pica200::exact::{Exact, is_exact, print, print_raw, read};
use chiaro_pica200::listing::{Options, listing};

mod samples;

use samples::samples;

fn again(file: &Shbin) -> Vec<u8> {
    let text = print(file);
    assert!(is_exact(&text));
    match read(&text, FileId(0)) {
        Ok(Exact::Shbin(file)) => file.write(),
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn exact_listings_read_back() {
    for (name, _, bytes) in samples() {
        assert_eq!(again(&Shbin::read(&bytes).expect("sample is sound")), bytes, "{name}");
    }
}

#[test]
fn exact_listings_of_damaged_files_read_back() {
    let mut rng = Rng(5);
    for (name, _, bytes) in samples() {
        for _ in 0..200 {
            let mut bytes = bytes.clone();
            let at = rng.below(bytes.len());
            bytes[at] ^= 1 << rng.below(8);
            if let Ok(file) = Shbin::read(&bytes) {
                assert_eq!(again(&file), bytes, "{name}, byte {at:#x}");
                let _ = listing(&file, &Options::default());
            }
        }
    }
}

#[test]
fn random_words_without_a_container_read_back() {
    let mut rng = Rng(11);
    let code: Vec<u32> = (0..4096).map(|_| rng.next() as u32).collect();
    let descriptors: Vec<[u32; 2]> = (0..128).map(|_| [rng.next() as u32, rng.next() as u32]).collect();
    let text = print_raw(&code, &descriptors);
    assert_eq!(read(&text, FileId(0)), Ok(Exact::Raw { code, descriptors }));
}

#[test]
fn picasso_files_have_a_listing_in_its_language() {
    for (name, tool, bytes) in samples() {
        let text = listing(&Shbin::read(&bytes).expect("sample is sound"), &Options::default());
        if tool == "picasso" {
            assert!(text.is_ok(), "{name}: {text:?}");
        }
    }
}
