//! What source and keys mean: the source on the interpreter with its bounds, then the keys as arithmetic on its colours.

use chiaro_agx::abi::key::{FragmentEpilog, FragmentProlog, Key};
use chiaro_agx::abi::tilebuffer::physical;
use chiaro_agx::container::file::POSITION;
use chiaro_agx::machine::Colour;
use chiaro_agx::verify::Words;
use chiaro_agx::verify::merge::State;
use chiaro_ir::GlobalRef;
use chiaro_target::proof::meaning::{How, Meaning, meanings};
use chiaro_target::proof::{Float, STEPS, Subject};
use chiaro_target::{Merge, Output, Samples, Simulated};
use serde_json::{Value as Json, json};

use super::draw::Case;
use super::given::Given;
use crate::fuzz::Outcome;

/// A bound that is wider than so much of a number proves nothing.
const WIDE: f64 = 0.05;
/// Corners lie so much of a number beyond its bound: what is rounded to one side there is rounded to the other, too.
const NEAR: f64 = 1e-6;
/// Lanes of a fragment.
const QUAD: usize = 4;
/// Keys that are arithmetic on colours have no such fields.
const ELSEWHERE: [&str; 2] = ["cull_distance_size", "polygon_stipple"];

/// Compares what a program leaves with what its source and its keys mean.
///
/// # Errors
/// A failure.
pub(super) fn compare(
    case: &Case,
    words: &Words<'_>,
    given: &Given,
    found: &Simulated,
) -> Result<Tally, Outcome> {
    if !case.exact {
        return Ok(Tally { unsaid: given.sample.lanes, ..Tally::default() });
    }
    let outputs = Subject::outputs(words);
    let how = How { fuel: STEPS, exact: u32::MAX, undef: 0, kept: |_, _| None };
    let meant = meanings(Subject::source(words), words.bounds(), &outputs, &given.sample, how);
    let meant = meant.map_err(|failure| Outcome::Refused(failure.to_string()))?;
    let mut tally = Tally::default();
    match case.is_fragment() {
        true => fragments(case, words, given, (&outputs, &meant, found), &mut tally),
        false => vertices(words, (&outputs, &meant, found), &mut tally),
    }
    .map_err(|why| Outcome::Failed("meaning".into(), why))?;
    Ok(tally)
}

/// Invocations that prove something, that do not, and of which nobody here knows the meaning: one piece says it.
#[derive(Default)]
pub(super) struct Tally {
    proved: usize,
    open: usize,
    unsaid: usize,
}

impl Tally {
    /// Whether the meaning of all is known, as far as roundings let it be.
    pub(super) fn says_all(&self) -> bool {
        self.unsaid == 0
    }

    pub(super) fn outcome(&self) -> Outcome {
        match self.proved + self.unsaid {
            0 => Outcome::Untested("every invocation depends on roundings"),
            proved => Outcome::Passed(proved, self.open),
        }
    }

    fn add(&mut self, proves: bool) {
        if proves { self.proved += 1 } else { self.open += 1 }
    }
}

type Both<'a> = (&'a [Float], &'a [Meaning], &'a Simulated);

fn vertices(words: &Words<'_>, (outputs, meant, found): Both<'_>, tally: &mut Tally) -> Result<(), String> {
    for (vertex, meaning) in meant.iter().enumerate() {
        let Ok(numbers) = &meaning.numbers else {
            tally.add(false);
            continue;
        };
        let mut proves = true;
        for (float, &(value, error)) in outputs.iter().zip(numbers) {
            let name = named(words, float.variable);
            let Some(output) = found.outputs.iter().find(|output| output.name == name) else {
                return Err(format!("there is no `{name}`"));
            };
            let bits = output.of(vertex).get(float.number).copied().unwrap_or(0);
            let own = f64::from(f32::from_bits(bits as u32));
            if (own - value).abs() > error {
                return Err(format!(
                    "`{name}`, component {} of vertex {vertex} is {own}, not {value} within {error:e}",
                    float.number
                ));
            }
            proves &= error <= WIDE * value.abs().max(1.0);
        }
        tally.add(proves);
    }
    Ok(())
}

fn named(words: &Words<'_>, variable: GlobalRef) -> String {
    match words.source.global(variable).binding.location {
        Some(location) => format!("varying{location}"),
        None => POSITION.to_owned(),
    }
}

fn fragments(
    case: &Case,
    words: &Words<'_>,
    given: &Given,
    (outputs, meant, found): Both<'_>,
    tally: &mut Tally,
) -> Result<(), String> {
    let prolog = &case.keys["prolog"];
    let is_elsewhere = ELSEWHERE.iter().any(|field| prolog[*field].as_u64().unwrap_or(0) > 0);
    let state = state(&case.keys, given.constant)?.filter(|_| !is_elsewhere);
    let location = state.as_ref().map_or(0, |state| state.location().unwrap_or(0));
    let colour = |float: &Float| words.source.global(float.variable).binding.location == Some(location);
    let Some(state) = state.filter(|_| outputs.iter().any(&colour)) else {
        tally.unsaid += meant.len();
        return Ok(());
    };
    let target = Stored::first(&case.keys).ok_or("the first target has no place in the tilebuffer")?;
    let own = |name: &str| {
        found.outputs.iter().find(|output| output.name == name).ok_or(format!("there is no `{name}`"))
    };
    let (colours, live) = (own("colour")?, own("gl_SampleMask")?);
    for (quad, meaning) in meant.iter().enumerate() {
        let Ok(numbers) = &meaning.numbers else {
            tally.add(false);
            continue;
        };
        let mut bounds = [(0.0, f64::INFINITY); 4];
        for (float, number) in outputs.iter().zip(numbers).filter(|(float, _)| colour(float)) {
            bounds[float.number.min(3)] = *number;
        }
        let fragment = Fragment {
            state: &state,
            target: &target,
            bounds,
            there: &given.below[quad],
            covered: if meaning.discarded { 0 } else { given.covered[quad] },
        };
        let proves = fragment.compare(colours, live, quad * QUAD);
        tally.add(proves.map_err(|why| format!("fragment {quad}: {why}"))?);
    }
    Ok(())
}

/// The state that keys mean; `None` where nothing is drawn to.
fn state(keys: &Json, constant: [f32; 4]) -> Result<Option<State>, String> {
    let of = |name: &str, missing: (&str, Json)| {
        let mut key = keys.get(name)?.clone();
        key[missing.0] = missing.1;
        Some(Key::of_json(&key).map(|key| key.normalised()))
    };
    let link = json!({ "rt_spill_base": 0, "size_32": 255, "loc_written": 255, "sample_shading": 0, "broadcast_rt0": 0,
        "loc0_w_1": 0, "write_z": 0, "write_s": 0, "already_ran_zs": 0, "sample_mask_after_force_early": 0 });
    let epilog: FragmentEpilog = match of("epilog", ("link", link)).transpose()? {
        Some(Key::FragmentEpilog(key)) => key,
        _ => return Ok(None),
    };
    let prolog: Option<FragmentProlog> = match of("prolog", ("cf_base", 0.into())).transpose()? {
        Some(Key::FragmentProlog(key)) => Some(key),
        _ => None,
    };
    Ok(State::new(epilog, prolog.as_ref(), constant.map(f64::from)))
}

/// A fragment with what its colour may be.
struct Fragment<'a> {
    state: &'a State,
    target: &'a Stored,
    bounds: [(f64, f64); 4],
    there: &'a [[f32; 4]],
    covered: u32,
}

impl Fragment<'_> {
    /// Whether it proves something.
    fn compare(&self, colours: &Output, live: &Output, lane: usize) -> Result<bool, String> {
        if self.bounds.iter().any(|(_, error)| !error.is_finite()) {
            return Ok(false);
        }
        let corners: Vec<Samples> = self.corners().map(|colour| self.merged(colour)).collect();
        let found = live.of(lane)[0] as u32;
        if corners.iter().any(|corner| corner.live != corners[0].live) {
            return Ok(false);
        }
        if found != corners[0].live {
            return Err(format!("samples {found:#b} live, not {:#b}", corners[0].live));
        }
        let is_of_bits = self.state.is_of_bits();
        let mut proves = true;
        for (n, bits) in colours.of(lane).iter().enumerate() {
            let (sample, component) = (n / 4, n % 4);
            let own = self.target.shown(f32::from_bits(*bits as u32).into());
            let all =
                || corners.iter().map(|corner| self.target.shown(corner.colours[sample][component].into()));
            let (low, high) =
                all().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            // Bits of a number that is as near to two may be those of either.
            let step = self.target.step(component, high.abs().max(low.abs()));
            if is_of_bits && all().any(|x| (own - x).abs() <= step) {
                continue;
            }
            if !low.is_finite() || !high.is_finite() || high - low > WIDE * high.abs().max(1.0) {
                proves = false;
                continue;
            }
            if own < low - step || own > high + step {
                return Err(format!(
                    "component {component} of sample {sample} is {own}, not {low} to {high} within {step:e}"
                ));
            }
        }
        Ok(proves)
    }

    /// Its colour at the ends of the bounds of each component, and of all together.
    fn corners(&self) -> impl Iterator<Item = [f32; 4]> + '_ {
        (0..16u32).chain([16]).map(|corner| {
            std::array::from_fn(|n| {
                let (value, error) = self.bounds[n];
                let way = if corner == 16 {
                    0.0
                } else if corner >> n & 1 == 1 {
                    1.0
                } else {
                    -1.0
                };
                (value + way * (error + NEAR * value.abs())) as f32
            })
        })
    }

    fn merged(&self, colour: [f32; 4]) -> Samples {
        let mut there = [[0.0; 4]; 4];
        there.iter_mut().zip(self.there).for_each(|(to, from)| *to = *from);
        let nothing = Samples { colours: [colour; 4], second: [[0.0; 4]; 4], there, live: self.covered };
        let mut made = self.state.merged(&nothing);
        made.live &= self.covered;
        // A sample that is gone keeps what is there, as the target holds it.
        let is_kept = |sample: &usize| self.target.is_left || made.live >> sample & 1 == 0;
        for sample in (0..4).filter(is_kept).collect::<Vec<_>>() {
            made.colours[sample] = self.target.place.rounded(there[sample]);
        }
        made
    }
}

/// How the first target stands in the tilebuffer.
struct Stored {
    place: Colour,
    format: &'static str,
    /// Whether the logical operation leaves what is there, as it stands.
    is_left: bool,
    /// What its numbers are at the end of the tile.
    range: Option<[f64; 2]>,
}

impl Stored {
    fn first(keys: &Json) -> Option<Stored> {
        let targets = keys["epilog"]["rts"].as_array()?;
        let first = targets.iter().min_by_key(|target| target["i"].as_u64())?;
        let name = first["format"].as_str()?;
        let place = physical(name.trim_start_matches("PIPE_FORMAT_"))?;
        let colour = Colour::new(place.format, 0, place.channels() as usize)?;
        let range = match name.rsplit('_').next() {
            Some("UNORM") => Some([0.0, 1.0]),
            Some("SNORM") => Some([-1.0, 1.0]),
            _ => None,
        };
        let is_left =
            keys["epilog"]["logicop"] == "noop" && !name.ends_with("_SRGB") && !name.ends_with("FLOAT");
        Some(Stored { place: colour, format: place.format, is_left, range })
    }

    /// A number as it leaves the tile: formats that stand there in halves are clamped then.
    fn shown(&self, x: f64) -> f64 {
        self.range.map_or(x, |[low, high]| x.clamp(low, high))
    }

    /// How far its numbers of such a size are apart, and what arithmetic in front of them rounds.
    fn step(&self, component: usize, size: f64) -> f64 {
        let of_bits = |bits: i32| (size * 2f64.powi(-bits)).max(2f64.powi(-24));
        let apart = match (self.format, component) {
            ("rgb10a2", 3) => 1.0 / 3.0,
            ("rgb10a2", _) => 1.0 / 1023.0,
            ("u8norm", _) | ("srgba8", 3) => 1.0 / 255.0,
            // The curve is steepest at its end.
            ("srgba8", _) => 2.3 / 255.0,
            ("s8norm", _) => 1.0 / 127.0,
            ("u16norm", _) => 1.0 / 65_535.0,
            ("s16norm", _) => 1.0 / 32_767.0,
            ("f16", _) => of_bits(10),
            ("rg11b10f", 2) => of_bits(5),
            ("rg11b10f", _) => of_bits(6),
            _ => of_bits(23),
        };
        1.01 * apart + 1e-6 * size.max(1.0)
    }
}
