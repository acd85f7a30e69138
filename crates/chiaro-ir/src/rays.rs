//! SPIR-V's numbers of what rays have: operations on queries, and built-ins of the stages that rays call.

/// Operations on a query, as [`Op::RayQuery`](crate::Op::RayQuery) has them. Those of a hit take which one is meant: 0
/// for the candidate, 1 for the hit that was taken.
pub mod query {
    /// Begins a search: structure, flags, mask, origin, least distance, direction, most distance.
    pub const BEGIN: u16 = 4473;
    /// Ends the search.
    pub const END: u16 = 4474;
    /// Takes a hit within the box that is the candidate, at a distance.
    pub const GENERATE: u16 = 4475;
    /// Takes the triangle that is the candidate.
    pub const CONFIRM: u16 = 4476;
    /// Goes on to the next candidate; whether there is one.
    pub const PROCEED: u16 = 4477;
    /// The kind of a hit.
    pub const KIND: u16 = 4479;
    /// The least distance of the ray.
    pub const LEAST: u16 = 6016;
    /// The flags of the ray.
    pub const FLAGS: u16 = 6017;
    /// The distance of a hit.
    pub const DISTANCE: u16 = 6018;
    /// The custom index of a hit's instance.
    pub const CUSTOM_INDEX: u16 = 6019;
    /// The number of a hit's instance.
    pub const INSTANCE: u16 = 6020;
    /// The first record of a hit's instance.
    pub const RECORD: u16 = 6021;
    /// The number of a hit's geometry.
    pub const GEOMETRY: u16 = 6022;
    /// The number of a hit's primitive.
    pub const PRIMITIVE: u16 = 6023;
    /// Shares of the second and the third corner of a triangle.
    pub const SHARES: u16 = 6024;
    /// Whether the front of a triangle is met.
    pub const FRONT: u16 = 6025;
    /// Whether the box that is the candidate is opaque.
    pub const OPAQUE: u16 = 6026;
    /// The direction of the ray in the space of a hit's instance.
    pub const OBJECT_DIRECTION: u16 = 6027;
    /// The origin of the ray there.
    pub const OBJECT_ORIGIN: u16 = 6028;
    /// The direction of the ray in the world.
    pub const DIRECTION: u16 = 6029;
    /// The origin of the ray in the world.
    pub const ORIGIN: u16 = 6030;
    /// The transform of a hit's instance to the world, by columns.
    pub const TO_WORLD: u16 = 6031;
    /// The transform back.
    pub const TO_OBJECT: u16 = 6032;
    /// The corners of a triangle.
    pub const CORNERS: u16 = 5340;
}

/// Built-ins of stages.
pub mod builtin {
    /// Which of a launch's invocations this is.
    pub const LAUNCH: u32 = 5319;
    /// How many there are.
    pub const SIZE: u32 = 5320;
    /// The origin of the ray.
    pub const ORIGIN: u32 = 5321;
    /// The direction of the ray.
    pub const DIRECTION: u32 = 5322;
    /// The least distance.
    pub const LEAST: u32 = 5325;
    /// The distance of the hit, or how far one may be.
    pub const MOST: u32 = 5326;
    /// The same by its older number.
    pub const DISTANCE: u32 = 5332;
    /// What an intersection stage says, or which side of a triangle is met.
    pub const KIND: u32 = 5333;
    /// The flags of the ray.
    pub const FLAGS: u32 = 5351;
    /// The mask of the ray.
    pub const MASK: u32 = 6021;
}

/// What goes wrong while rays are traced, by the numbers of [`Op::Trap`](crate::Op::Trap), and in words.
pub mod trap {
    /// A ray is traced deeper than the pipeline allows.
    pub const RAYS: u8 = 1;
    /// Callables are called deeper within each other than there is room for.
    pub const CALLABLES: u8 = 2;

    /// What is said of a ray beyond the depth of its pipeline.
    #[must_use]
    pub fn ray_too_deep(allowed: usize) -> String {
        let deep = allowed + 1;
        format!(
            "a ray is traced {deep} deep, and the pipeline allows {allowed}; raise its `depth`, or trace less"
        )
    }

    /// What is said of a ray that the pipeline allows, for which the stack has no room.
    #[must_use]
    pub fn ray_without_room(allowed: usize) -> String {
        let deep = allowed + 1;
        format!(
            "a ray is traced {deep} deep, and there is room for {allowed}; make more by `-m recursion=N`, or trace less"
        )
    }

    /// What is said of a callable that there is no room for.
    #[must_use]
    pub fn callable_too_deep() -> String {
        "callables are called deeper within each other than there is room for; make more by `-m recursion=N`"
            .to_owned()
    }

    /// What went wrong, with the launch and the stages that are under way there, the innermost last.
    #[must_use]
    pub fn told(what: &str, [x, y, z]: [u32; 3], stages: &[&str]) -> String {
        match stages {
            [] => format!("{what} (launch {x} {y} {z})"),
            _ => format!("{what} (launch {x} {y} {z}: {})", stages.join(" > ")),
        }
    }
}

/// The question to a query that a built-in of a hit answers.
#[must_use]
pub const fn question(builtin: u32) -> Option<u16> {
    Some(match builtin {
        6 => query::INSTANCE,
        7 => query::PRIMITIVE,
        5323 => query::OBJECT_ORIGIN,
        5324 => query::OBJECT_DIRECTION,
        5327 => query::CUSTOM_INDEX,
        5330 => query::TO_WORLD,
        5331 => query::TO_OBJECT,
        5335 => query::CORNERS,
        5352 => query::GEOMETRY,
        _ => return None,
    })
}
