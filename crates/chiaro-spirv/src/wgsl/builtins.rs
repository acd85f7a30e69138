//! The functions and built-in values that WGSL declares, with their forms and what they do.
//!
//! Facts are those of the W3C's specification of WGSL, chapters "Built-in Functions" and "Built-in Values". In forms
//! `T` is a scalar or a vector of any size, `e` its component, and kinds are named: `f` floats, `i` and `u` whole numbers.

/// A function or a value that the language declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// How it is called, the most common form first; of a value its type and where it is found.
    pub forms: &'static [&'static str],
    /// What it gives.
    pub doc: &'static str,
}

const fn f(name: &'static str, forms: &'static [&'static str], doc: &'static str) -> Builtin {
    Builtin { name, forms, doc }
}

/// What a name means, if the language declares it.
#[must_use]
pub fn builtin(name: &str) -> Option<&'static Builtin> {
    FUNCTIONS.iter().chain(VALUES).find(|builtin| builtin.name == name)
}

/// Functions.
pub const FUNCTIONS: &[Builtin] = &[
    f("abs", &["abs(e: T) -> T"], "The absolute value, component by component."),
    f("acos", &["acos(e: T) -> T"], "The arc cosine in radians."),
    f("acosh", &["acosh(e: T) -> T"], "The inverse hyperbolic cosine."),
    f("all", &["all(e: vecN<bool>) -> bool", "all(e: bool) -> bool"], "Whether every component is true."),
    f("any", &["any(e: vecN<bool>) -> bool", "any(e: bool) -> bool"], "Whether some component is true."),
    f(
        "arrayLength",
        &["arrayLength(p: ptr<storage, array<E>>) -> u32"],
        "The number of elements of an array whose size the host program gives.",
    ),
    f("asin", &["asin(e: T) -> T"], "The arc sine in radians."),
    f("asinh", &["asinh(e: T) -> T"], "The inverse hyperbolic sine."),
    f("atan", &["atan(e: T) -> T"], "The arc tangent in radians."),
    f("atan2", &["atan2(y: T, x: T) -> T"], "The angle of the point (x, y), from -pi to pi."),
    f("atanh", &["atanh(e: T) -> T"], "The inverse hyperbolic tangent."),
    f("atomicAdd", &["atomicAdd(p: ptr<A, atomic<E>>, v: E) -> E"], "Adds, and gives what was there before."),
    f(
        "atomicAnd",
        &["atomicAnd(p: ptr<A, atomic<E>>, v: E) -> E"],
        "Keeps the bits that both have, and gives what was there before.",
    ),
    f(
        "atomicCompareExchangeWeak",
        &[
            "atomicCompareExchangeWeak(p: ptr<A, atomic<E>>, cmp: E, v: E) -> struct { old_value: E, exchanged: bool }",
        ],
        "Stores v if cmp is there; it may fail although it is.",
    ),
    f(
        "atomicExchange",
        &["atomicExchange(p: ptr<A, atomic<E>>, v: E) -> E"],
        "Stores, and gives what was there before.",
    ),
    f("atomicLoad", &["atomicLoad(p: ptr<A, atomic<E>>) -> E"], "What is there, as one access."),
    f(
        "atomicMax",
        &["atomicMax(p: ptr<A, atomic<E>>, v: E) -> E"],
        "Keeps the greater one, and gives what was there before.",
    ),
    f(
        "atomicMin",
        &["atomicMin(p: ptr<A, atomic<E>>, v: E) -> E"],
        "Keeps the smaller one, and gives what was there before.",
    ),
    f(
        "atomicOr",
        &["atomicOr(p: ptr<A, atomic<E>>, v: E) -> E"],
        "Sets bits, and gives what was there before.",
    ),
    f("atomicStore", &["atomicStore(p: ptr<A, atomic<E>>, v: E)"], "Stores, as one access."),
    f(
        "atomicSub",
        &["atomicSub(p: ptr<A, atomic<E>>, v: E) -> E"],
        "Subtracts, and gives what was there before.",
    ),
    f(
        "atomicXor",
        &["atomicXor(p: ptr<A, atomic<E>>, v: E) -> E"],
        "Turns bits over, and gives what was there before.",
    ),
    f("bitcast", &["bitcast<T>(e: S) -> T"], "The same bits as another type of the same size."),
    f("ceil", &["ceil(e: T) -> T"], "The next whole number that is not smaller."),
    f("clamp", &["clamp(e: T, low: T, high: T) -> T"], "The value, but not below low and not above high."),
    f("cos", &["cos(e: T) -> T"], "The cosine of radians."),
    f("cosh", &["cosh(e: T) -> T"], "The hyperbolic cosine."),
    f("countLeadingZeros", &["countLeadingZeros(e: T) -> T"], "Zero bits above the highest one that is set."),
    f("countOneBits", &["countOneBits(e: T) -> T"], "Bits that are set."),
    f(
        "countTrailingZeros",
        &["countTrailingZeros(e: T) -> T"],
        "Zero bits below the lowest one that is set.",
    ),
    f("cross", &["cross(a: vec3<f>, b: vec3<f>) -> vec3<f>"], "The cross product."),
    f("degrees", &["degrees(e: T) -> T"], "Degrees of radians."),
    f("determinant", &["determinant(m: matNxN<f>) -> f"], "The determinant of a square matrix."),
    f(
        "distance",
        &["distance(a: vecN<f>, b: vecN<f>) -> f", "distance(a: f, b: f) -> f"],
        "The length of the difference.",
    ),
    f("dot", &["dot(a: vecN<e>, b: vecN<e>) -> e"], "The sum of the products of components."),
    f("dot4I8Packed", &["dot4I8Packed(a: u32, b: u32) -> i32"], "The dot product of four signed bytes each."),
    f(
        "dot4U8Packed",
        &["dot4U8Packed(a: u32, b: u32) -> u32"],
        "The dot product of four unsigned bytes each.",
    ),
    f(
        "dpdx",
        &["dpdx(e: T) -> T"],
        "How the value changes from pixel to pixel in x; fragments alone, in uniform control flow.",
    ),
    f("dpdxCoarse", &["dpdxCoarse(e: T) -> T"], "The same for the whole quad."),
    f("dpdxFine", &["dpdxFine(e: T) -> T"], "The same for this row of the quad."),
    f(
        "dpdy",
        &["dpdy(e: T) -> T"],
        "How the value changes from pixel to pixel in y; fragments alone, in uniform control flow.",
    ),
    f("dpdyCoarse", &["dpdyCoarse(e: T) -> T"], "The same for the whole quad."),
    f("dpdyFine", &["dpdyFine(e: T) -> T"], "The same for this column of the quad."),
    f("exp", &["exp(e: T) -> T"], "The power of e."),
    f("exp2", &["exp2(e: T) -> T"], "The power of 2."),
    f(
        "extractBits",
        &["extractBits(e: T, offset: u32, count: u32) -> T"],
        "Bits from an offset on; of signed numbers with their sign.",
    ),
    f(
        "faceForward",
        &["faceForward(n: vecN<f>, i: vecN<f>, ref: vecN<f>) -> vecN<f>"],
        "n, or -n where dot(i, ref) is not negative.",
    ),
    f(
        "firstLeadingBit",
        &["firstLeadingBit(e: T) -> T"],
        "The number of the highest bit that is set, of negative numbers of the highest that is not; -1 if there is none.",
    ),
    f(
        "firstTrailingBit",
        &["firstTrailingBit(e: T) -> T"],
        "The number of the lowest bit that is set; -1 if there is none.",
    ),
    f("floor", &["floor(e: T) -> T"], "The next whole number that is not greater."),
    f("fma", &["fma(a: T, b: T, c: T) -> T"], "a * b + c, rounded once or twice."),
    f("fract", &["fract(e: T) -> T"], "The value minus its floor."),
    f("frexp", &["frexp(e: T) -> struct { fract: T, exp: I }"], "Fraction from 0.5 to 1 and exponent of 2."),
    f("fwidth", &["fwidth(e: T) -> T"], "abs(dpdx(e)) + abs(dpdy(e))."),
    f("fwidthCoarse", &["fwidthCoarse(e: T) -> T"], "The same of dpdxCoarse and dpdyCoarse."),
    f("fwidthFine", &["fwidthFine(e: T) -> T"], "The same of dpdxFine and dpdyFine."),
    f(
        "insertBits",
        &["insertBits(e: T, new: T, offset: u32, count: u32) -> T"],
        "The value with bits from an offset on in place of its own.",
    ),
    f("inverseSqrt", &["inverseSqrt(e: T) -> T"], "One by the square root."),
    f("ldexp", &["ldexp(e: T, exp: I) -> T"], "The value times a power of 2."),
    f(
        "length",
        &["length(e: vecN<f>) -> f", "length(e: f) -> f"],
        "The length of a vector, the absolute value of a scalar.",
    ),
    f("log", &["log(e: T) -> T"], "The natural logarithm."),
    f("log2", &["log2(e: T) -> T"], "The logarithm to the base 2."),
    f("max", &["max(a: T, b: T) -> T"], "The greater one, component by component."),
    f("min", &["min(a: T, b: T) -> T"], "The smaller one, component by component."),
    f(
        "mix",
        &["mix(a: T, b: T, t: T) -> T", "mix(a: vecN<f>, b: vecN<f>, t: f) -> vecN<f>"],
        "a * (1 - t) + b * t.",
    ),
    f(
        "modf",
        &["modf(e: T) -> struct { fract: T, whole: T }"],
        "What is behind the point, and what is before it.",
    ),
    f("normalize", &["normalize(e: vecN<f>) -> vecN<f>"], "The vector with length 1."),
    f("pack2x16float", &["pack2x16float(e: vec2<f32>) -> u32"], "Two halves in a word, x in the low bits."),
    f("pack2x16snorm", &["pack2x16snorm(e: vec2<f32>) -> u32"], "Numbers from -1 to 1 as 16 bits each."),
    f("pack2x16unorm", &["pack2x16unorm(e: vec2<f32>) -> u32"], "Numbers from 0 to 1 as 16 bits each."),
    f("pack4x8snorm", &["pack4x8snorm(e: vec4<f32>) -> u32"], "Numbers from -1 to 1 as 8 bits each."),
    f("pack4x8unorm", &["pack4x8unorm(e: vec4<f32>) -> u32"], "Numbers from 0 to 1 as 8 bits each."),
    f("pow", &["pow(a: T, b: T) -> T"], "a to the power of b."),
    f("quantizeToF16", &["quantizeToF16(e: T) -> T"], "The value as a half would hold it."),
    f("radians", &["radians(e: T) -> T"], "Radians of degrees."),
    f(
        "reflect",
        &["reflect(i: vecN<f>, n: vecN<f>) -> vecN<f>"],
        "The direction in which i leaves a surface with normal n: i - 2 * dot(n, i) * n.",
    ),
    f(
        "refract",
        &["refract(i: vecN<f>, n: vecN<f>, eta: f) -> vecN<f>"],
        "The direction in which i goes on behind a surface, by the ratio of the indices; zero where all is reflected.",
    ),
    f("reverseBits", &["reverseBits(e: T) -> T"], "The bits in the other order."),
    f("round", &["round(e: T) -> T"], "The nearest whole number, halves to the even one."),
    f("saturate", &["saturate(e: T) -> T"], "clamp(e, 0, 1)."),
    f(
        "select",
        &[
            "select(no: T, yes: T, which: bool) -> T",
            "select(no: vecN<e>, yes: vecN<e>, which: vecN<bool>) -> vecN<e>",
        ],
        "The second where the third is true, else the first.",
    ),
    f("sign", &["sign(e: T) -> T"], "-1, 0 or 1."),
    f("sin", &["sin(e: T) -> T"], "The sine of radians."),
    f("sinh", &["sinh(e: T) -> T"], "The hyperbolic sine."),
    f(
        "smoothstep",
        &["smoothstep(low: T, high: T, x: T) -> T"],
        "From 0 at low to 1 at high, without a bend at the ends.",
    ),
    f("sqrt", &["sqrt(e: T) -> T"], "The square root."),
    f("step", &["step(edge: T, x: T) -> T"], "1 where edge is not greater than x, else 0."),
    f(
        "storageBarrier",
        &["storageBarrier()"],
        "Waits for the workgroup; what was written to storage is seen behind it.",
    ),
    f("subgroupAdd", &["subgroupAdd(e: T) -> T"], "The sum over the subgroup."),
    f(
        "subgroupBallot",
        &["subgroupBallot(e: bool) -> vec4<u32>"],
        "A bit for each invocation of the subgroup.",
    ),
    f(
        "subgroupBroadcast",
        &["subgroupBroadcast(e: T, id: u32) -> T"],
        "The value of one invocation of the subgroup.",
    ),
    f(
        "subgroupElect",
        &["subgroupElect() -> bool"],
        "Whether this is the first invocation of the subgroup that runs.",
    ),
    f("tan", &["tan(e: T) -> T"], "The tangent of radians."),
    f("tanh", &["tanh(e: T) -> T"], "The hyperbolic tangent."),
    f(
        "textureDimensions",
        &[
            "textureDimensions(t: texture) -> vecN<u32>",
            "textureDimensions(t: texture, level: L) -> vecN<u32>",
        ],
        "The size in texels.",
    ),
    f(
        "textureGather",
        &[
            "textureGather(component: C, t: texture_2d<e>, s: sampler, coords: vec2<f32>) -> vec4<e>",
            "textureGather(t: texture_depth_2d, s: sampler, coords: vec2<f32>) -> vec4<f32>",
        ],
        "One channel of the four texels that a filter would take.",
    ),
    f(
        "textureGatherCompare",
        &[
            "textureGatherCompare(t: texture_depth_2d, s: sampler_comparison, coords: vec2<f32>, depth_ref: f32) -> vec4<f32>",
        ],
        "The comparisons of the four texels that a filter would take.",
    ),
    f(
        "textureLoad",
        &[
            "textureLoad(t: texture_2d<e>, coords: vec2<C>, level: L) -> vec4<e>",
            "textureLoad(t: texture_storage_2d, coords: vec2<C>) -> vec4<e>",
        ],
        "A texel without a filter.",
    ),
    f("textureNumLayers", &["textureNumLayers(t: texture_array) -> u32"], "Layers of an array."),
    f("textureNumLevels", &["textureNumLevels(t: texture) -> u32"], "Levels."),
    f("textureNumSamples", &["textureNumSamples(t: texture_multisampled) -> u32"], "Samples of a texel."),
    f(
        "textureSample",
        &[
            "textureSample(t: texture_2d<f32>, s: sampler, coords: vec2<f32>) -> vec4<f32>",
            "textureSample(t: texture_2d_array<f32>, s: sampler, coords: vec2<f32>, array_index: A) -> vec4<f32>",
            "textureSample(t: texture_cube<f32>, s: sampler, coords: vec3<f32>) -> vec4<f32>",
        ],
        "A filtered texel; fragments alone, in uniform control flow.",
    ),
    f(
        "textureSampleBaseClampToEdge",
        &["textureSampleBaseClampToEdge(t: texture_2d<f32>, s: sampler, coords: vec2<f32>) -> vec4<f32>"],
        "A filtered texel of level 0, never from beyond the edge.",
    ),
    f(
        "textureSampleBias",
        &["textureSampleBias(t: texture_2d<f32>, s: sampler, coords: vec2<f32>, bias: f32) -> vec4<f32>"],
        "The same with another level than derivatives give.",
    ),
    f(
        "textureSampleCompare",
        &[
            "textureSampleCompare(t: texture_depth_2d, s: sampler_comparison, coords: vec2<f32>, depth_ref: f32) -> f32",
        ],
        "How much of what is filtered passes the comparison.",
    ),
    f(
        "textureSampleCompareLevel",
        &[
            "textureSampleCompareLevel(t: texture_depth_2d, s: sampler_comparison, coords: vec2<f32>, depth_ref: f32) -> f32",
        ],
        "The same of level 0, in any stage.",
    ),
    f(
        "textureSampleGrad",
        &[
            "textureSampleGrad(t: texture_2d<f32>, s: sampler, coords: vec2<f32>, ddx: vec2<f32>, ddy: vec2<f32>) -> vec4<f32>",
        ],
        "A filtered texel with derivatives that are given.",
    ),
    f(
        "textureSampleLevel",
        &["textureSampleLevel(t: texture_2d<f32>, s: sampler, coords: vec2<f32>, level: f32) -> vec4<f32>"],
        "A filtered texel of a level, in any stage.",
    ),
    f(
        "textureStore",
        &["textureStore(t: texture_storage_2d, coords: vec2<C>, value: vec4<e>)"],
        "Writes a texel.",
    ),
    f("transpose", &["transpose(m: matCxR<f>) -> matRxC<f>"], "Rows as columns."),
    f("trunc", &["trunc(e: T) -> T"], "The value without what is behind the point."),
    f("unpack2x16float", &["unpack2x16float(e: u32) -> vec2<f32>"], "Two halves of a word."),
    f("unpack2x16snorm", &["unpack2x16snorm(e: u32) -> vec2<f32>"], "16 bits each as numbers from -1 to 1."),
    f("unpack2x16unorm", &["unpack2x16unorm(e: u32) -> vec2<f32>"], "16 bits each as numbers from 0 to 1."),
    f("unpack4x8snorm", &["unpack4x8snorm(e: u32) -> vec4<f32>"], "8 bits each as numbers from -1 to 1."),
    f("unpack4x8unorm", &["unpack4x8unorm(e: u32) -> vec4<f32>"], "8 bits each as numbers from 0 to 1."),
    f(
        "workgroupBarrier",
        &["workgroupBarrier()"],
        "Waits for the workgroup; what was written to its memory is seen behind it.",
    ),
    f(
        "workgroupUniformLoad",
        &["workgroupUniformLoad(p: ptr<workgroup, T>) -> T"],
        "The same value for the whole workgroup, behind a barrier.",
    ),
];

/// Built-in values, which inputs and outputs name in `@builtin(...)`.
pub const VALUES: &[Builtin] = &[
    f("vertex_index", &["@builtin(vertex_index) u32: vertex input"], "The number of the vertex in the draw."),
    f("instance_index", &["@builtin(instance_index) u32: vertex input"], "The number of the instance."),
    f(
        "position",
        &["@builtin(position) vec4<f32>: vertex output, fragment input"],
        "The place in clip space; of a fragment in the picture, with depth and 1 / w.",
    ),
    f(
        "front_facing",
        &["@builtin(front_facing) bool: fragment input"],
        "Whether the front of the primitive is seen.",
    ),
    f("frag_depth", &["@builtin(frag_depth) f32: fragment output"], "The depth that is tested and stored."),
    f(
        "sample_index",
        &["@builtin(sample_index) u32: fragment input"],
        "The sample; the shader runs once for each.",
    ),
    f(
        "sample_mask",
        &["@builtin(sample_mask) u32: fragment input and output"],
        "Samples that are covered, a bit each.",
    ),
    f(
        "local_invocation_id",
        &["@builtin(local_invocation_id) vec3<u32>: compute input"],
        "The place in the workgroup.",
    ),
    f(
        "local_invocation_index",
        &["@builtin(local_invocation_index) u32: compute input"],
        "The same as one number, x fastest.",
    ),
    f(
        "global_invocation_id",
        &["@builtin(global_invocation_id) vec3<u32>: compute input"],
        "The place in the whole dispatch.",
    ),
    f(
        "workgroup_id",
        &["@builtin(workgroup_id) vec3<u32>: compute input"],
        "The place of the workgroup in the dispatch.",
    ),
    f(
        "num_workgroups",
        &["@builtin(num_workgroups) vec3<u32>: compute input"],
        "Workgroups of the dispatch.",
    ),
    f(
        "subgroup_invocation_id",
        &["@builtin(subgroup_invocation_id) u32: compute and fragment input"],
        "The number in the subgroup.",
    ),
    f(
        "subgroup_size",
        &["@builtin(subgroup_size) u32: compute and fragment input"],
        "Invocations of the subgroup.",
    ),
];

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, VALUES, builtin};

    /// naga's parser says which functions there are: each that has a form here has to be one of them, or a barrier.
    #[test]
    fn functions_are_those_of_the_language() {
        let known = super::super::words::predeclared();
        let wrong: Vec<&str> =
            FUNCTIONS.iter().map(|one| one.name).filter(|name| !known.contains(name)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        for pair in FUNCTIONS.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
        }
    }

    #[test]
    fn forms_begin_with_their_name() {
        for one in FUNCTIONS {
            assert!(one.forms.iter().all(|form| form.starts_with(one.name)), "{}", one.name);
            assert!(one.doc.ends_with('.'), "{}", one.name);
        }
        assert!(VALUES.iter().all(|one| one.forms[0].contains(one.name)));
        assert!(
            builtin("dot").is_some() && builtin("workgroup_id").is_some() && builtin("nothing").is_none()
        );
    }
}
