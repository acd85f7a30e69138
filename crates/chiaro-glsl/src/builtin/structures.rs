//! Structures that state variables are of.

use super::When;
use super::variable::{Kind, float, vector};
use crate::ty::Scalar;

/// A structure of the language's own.
#[derive(Debug)]
pub struct Structure {
    /// Its name.
    pub name: &'static str,
    /// Its members.
    pub members: &'static [(&'static str, Kind)],
    /// When it is there.
    pub when: When,
}

const FIXED: When = When::since(0, 110).until(0, 140);
const F: Kind = float();
const FOOTPRINT: When = When::with(&["GL_NV_shader_texture_footprint"]);
const U: Kind = Kind::Known(Scalar::Uint, 1, 1);
const U2: Kind = Kind::Known(Scalar::Uint, 1, 2);
const U3: Kind = Kind::Known(Scalar::Uint, 1, 3);
const V3: Kind = vector(3);
const V4: Kind = vector(4);

macro_rules! structures {
    ($( $when:ident $name:literal { $( $member:ident $ty:ident ),* } )*) => {
        &[ $( Structure {
            name: $name,
            members: &[ $( (stringify!($member), $ty) ),* ],
            when: $when,
        } ),* ]
    };
}

const ALWAYS: When = When::ALWAYS;

/// The structures, by no order.
pub static STRUCTURES: &[Structure] = structures! {
    ALWAYS "gl_DepthRangeParameters" { near F, far F, diff F }
    FIXED "gl_PointParameters" {
        size F, sizeMin F, sizeMax F, fadeThresholdSize F,
        distanceConstantAttenuation F, distanceLinearAttenuation F, distanceQuadraticAttenuation F
    }
    FIXED "gl_MaterialParameters" {
        emission V4, ambient V4, diffuse V4, specular V4, shininess F
    }
    FIXED "gl_LightSourceParameters" {
        ambient V4, diffuse V4, specular V4, position V4, halfVector V4, spotDirection V3,
        spotExponent F, spotCutoff F, spotCosCutoff F,
        constantAttenuation F, linearAttenuation F, quadraticAttenuation F
    }
    FIXED "gl_LightModelParameters" { ambient V4 }
    FIXED "gl_LightModelProducts" { sceneColor V4 }
    FIXED "gl_LightProducts" { ambient V4, diffuse V4, specular V4 }
    FOOTPRINT "gl_TextureFootprint2DNV" { anchor U2, offset U2, mask U2, lod U, granularity U }
    FOOTPRINT "gl_TextureFootprint3DNV" { anchor U3, offset U3, mask U2, lod U, granularity U }
    FIXED "gl_FogParameters" { color V4, density F, start F, end F, scale F }
};
