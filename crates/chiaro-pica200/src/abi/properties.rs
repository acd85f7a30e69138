//! What an output is for, by its name: a table of the words that shaders use.
//!
//! A name is taken apart at underscores and where small letters turn to capitals, prefixes and
//! suffixes that say nothing ([`EMPTY`]) are dropped, and what is left is looked up without regard to
//! case: `v_texCoord0`, `outTexCoord0` and `TexCoord0` are all `texcoord0`. The words were collected
//! from the vertex shaders of public projects (LearnOpenGL, three.js, glmark2, MapLibre,
//! SuperTuxKart, libretro, Qt Quick 3D, OpenSceneGraph and others).

/// Properties: spec section 15.
pub(super) const POSITION: u16 = 0;
pub(super) const NORMALQUAT: u16 = 1;
pub(super) const COLOR: u16 = 2;
pub(super) const TEXCOORDS: [u16; 3] = [3, 5, 6];
pub(super) const TEXCOORD0W: u16 = 4;
pub(super) const VIEW: u16 = 8;
/// Passed on unnamed.
pub(super) const DUMMY: u16 = 9;

/// Parts of names that say nothing of what an output is for.
const EMPTY: [&str; 30] = [
    "v",
    "vs",
    "vert",
    "vertex",
    "vtx",
    "var",
    "vary",
    "varying",
    "varyings",
    "o",
    "out",
    "output",
    "f",
    "fs",
    "frag",
    "fragment",
    "in",
    "input",
    "io",
    "to",
    "pass",
    "our",
    "the",
    "my",
    "qt",
    "interp",
    "interpolated",
    "m",
    "g",
    "ps",
];

/// Words and the number of the property that they stand for.
pub const NAMES: [(&str, u16); 52] = [
    ("normalquat", NORMALQUAT),
    ("nquat", NORMALQUAT),
    ("quaternion", NORMALQUAT),
    ("quat", NORMALQUAT),
    ("q", NORMALQUAT),
    ("qtangent", NORMALQUAT),
    ("normal", NORMALQUAT),
    ("normals", NORMALQUAT),
    ("norm", NORMALQUAT),
    ("nrm", NORMALQUAT),
    ("n", NORMALQUAT),
    ("color", COLOR),
    ("colour", COLOR),
    ("colors", COLOR),
    ("col", COLOR),
    ("clr", COLOR),
    ("rgb", COLOR),
    ("rgba", COLOR),
    ("color0", COLOR),
    ("frontcolor", COLOR),
    ("basecolor", COLOR),
    ("primarycolor", COLOR),
    ("diffuse", COLOR),
    ("diffusecolor", COLOR),
    ("lightcolor", COLOR),
    ("lighting", COLOR),
    ("light", COLOR),
    ("lightintensity", COLOR),
    ("tint", COLOR),
    ("tintcolor", COLOR),
    ("fillcolor", COLOR),
    ("albedo", COLOR),
    ("shade", COLOR),
    ("view", VIEW),
    ("viewdir", VIEW),
    ("viewdirection", VIEW),
    ("viewvec", VIEW),
    ("viewvector", VIEW),
    ("viewpos", VIEW),
    ("viewposition", VIEW),
    ("eye", VIEW),
    ("eyedir", VIEW),
    ("eyedirection", VIEW),
    ("eyevec", VIEW),
    ("eyevector", VIEW),
    ("eyepos", VIEW),
    ("eyeposition", VIEW),
    ("camera", VIEW),
    ("cameradir", VIEW),
    ("texcoord0w", TEXCOORD0W),
    ("tcoord0w", TEXCOORD0W),
    ("uv0w", TEXCOORD0W),
];

/// Words for texture coordinates; a number behind them, 0 to 2, says which.
pub const TEXTURE_NAMES: [&str; 25] = [
    "texcoord",
    "texcoords",
    "texturecoord",
    "texturecoords",
    "texturecoordinate",
    "texturecoordinates",
    "texcoordinate",
    "texcoordinates",
    "tcoord",
    "tcoords",
    "txcoord",
    "tc",
    "tex",
    "texture",
    "texuv",
    "textureuv",
    "texpos",
    "uv",
    "uvs",
    "uvw",
    "uvcoord",
    "uvcoords",
    "st",
    "coord",
    "coords",
];

/// The property that a name stands for, or element `element` of an array of that name.
pub(super) fn by_name(name: &str, element: Option<u32>) -> Option<u16> {
    let member = name.rsplit('.').next().unwrap_or(name);
    let member = member.split('[').next().unwrap_or(member);
    if member.starts_with("gl_") {
        return built_in(member, element);
    }
    // Of an array of colours the first is meant; texture coordinates count on.
    let word = essence(member);
    let listed = NAMES.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind);
    if listed.is_some() {
        return listed.filter(|_| element.unwrap_or(0) == 0);
    }
    let digits = word.len() - word.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (base, number) = word.split_at(digits);
    let first: u32 = if number.is_empty() { 0 } else { number.parse().ok()? };
    let is_texture = TEXTURE_NAMES.contains(&base);
    TEXCOORDS.get(first.checked_add(element.unwrap_or(0))? as usize).copied().filter(|_| is_texture)
}

/// What the outputs of old GLSL are for; there is no place for fog and second colours.
fn built_in(name: &str, element: Option<u32>) -> Option<u16> {
    match name {
        "gl_FrontColor" => Some(COLOR),
        "gl_TexCoord" => TEXCOORDS.get(element.unwrap_or(0) as usize).copied(),
        _ => None,
    }
}

/// A name without prefixes and suffixes that say nothing, in lower case. A name of nothing else is
/// its last part.
fn essence(name: &str) -> String {
    let words = words(name);
    let says = |word: &String| !EMPTY.contains(&word.as_str());
    let first = words.iter().position(says).unwrap_or(words.len().saturating_sub(1));
    let last = words.iter().rposition(says).unwrap_or(first);
    words.get(first..=last).map_or_else(String::new, <[String]>::concat)
}

/// The parts of a name: `vTexCoord_0` is v, tex, coord, 0; `outUV0` is out, uv0.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        let starts = c.is_ascii_uppercase() && !before.is_ascii_uppercase();
        if (c == '_' || starts) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c != '_', words.last_mut()) {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_public_shaders_say_what_they_are_for() {
        let all = [
            ("vColor fragColor vertexColor outColor v_color ourColor vColour vs_color col gl_FrontColor", 2),
            ("vUv vUV TexCoords texCoord v_texcoord vTexCoord0 o_uv outUV tex_uv gl_TexCoord varTexCoord", 3),
            ("tx_coord VertTexcoord fragTexCoord qt_TexCoord0 TEX0 uvOut TextureCoord vs_out.uv tc", 3),
            ("texcoord0w uv0w", 4),
            ("uv1 vTexCoord1 TexCoord_1 v_uv1", 5),
            ("uv2 v_texCoord2 outTexCoords2", 6),
            ("vNormal outNormal v_normal normalQuat Normal frag_normal n", 1),
            ("v_eye EyeVec viewDir o_viewDir outViewVec eyeDirection view", 8),
        ];
        for (names, kind) in all {
            for name in names.split(' ') {
                assert_eq!(by_name(name, None), Some(kind), "{name}");
            }
        }
        for name in "fog worldPos v_position uv3 gl_FogFragCoord gl_BackColor color1 v _ x".split(' ') {
            assert_eq!(by_name(name, None), None, "{name}");
        }
    }

    #[test]
    fn elements_of_texture_coordinates_count_on() {
        assert_eq!(by_name("gl_TexCoord[2]", Some(2)), Some(6));
        assert_eq!(by_name("uv[1]", Some(1)), Some(5));
        assert_eq!(by_name("uv1[1]", Some(1)), Some(6));
        assert_eq!(by_name("gl_TexCoord[3]", Some(3)), None);
        assert_eq!(by_name("colors[0]", Some(0)), Some(2));
        assert_eq!(by_name("colors[1]", Some(1)), None);
    }
}
