//! Rays against small scenes: which primitive is met, at which distance, and where a shader is asked.

use chiaro_trace::{
    Affine, Geometry, Group, Hit, Instance, Kind, Mesh, Pipeline, Ray, Record, Scene, Shape, Table,
    Traversal, flags, instance_flags,
};

/// A wall of two triangles across z = `z`, from -1 to 1.
fn wall(z: f32, opaque: bool) -> Geometry {
    let [a, b, c, d] = [[-1.0, -1.0, z], [1.0, -1.0, z], [1.0, 1.0, z], [-1.0, 1.0, z]];
    Geometry { shape: Shape::Triangles(vec![[a, b, c], [a, c, d]]), opaque }
}

fn scene(geometries: Vec<Geometry>, instances: Vec<Instance>) -> Scene {
    Scene::new(vec![Mesh { geometries, ..Mesh::default() }], vec![instances]).expect("the scene is sound").0
}

/// A ray along z from z = -5.
fn ray(x: f32, y: f32) -> Ray {
    Ray { origin: [x, y, -5.0], direction: [0.0, 0.0, 1.0], least: 0.0, most: 100.0, flags: 0, mask: 255 }
}

fn nearest(scene: &Scene, ray: Ray) -> Option<Hit> {
    let mut search = Traversal::new(ray, 0);
    while search.proceed(scene) {
        search.confirm();
    }
    search.committed
}

#[test]
fn the_nearest_wall_is_met_and_the_first_of_two_at_one_distance() {
    let two = scene(vec![wall(2.0, true), wall(1.0, true)], vec![Instance::default()]);
    let hit = nearest(&two, ray(0.5, -0.25)).expect("walls are met");
    assert_eq!((hit.geometry, hit.primitive, hit.t, hit.kind), (1, 0, 6.0, Hit::BACK));
    let edge = nearest(&two, ray(0.25, 0.25)).expect("the edge belongs to both");
    assert_eq!((edge.geometry, edge.primitive), (1, 0));
    assert_eq!(nearest(&two, ray(1.5, 0.0)), None);
}

#[test]
fn instances_move_walls_and_distances_stay_those_of_the_ray() {
    let transform = Affine([[2.0, 0.0, 0.0, 3.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 4.0, 1.0]]);
    let moved = Instance { transform, ..Instance::default() };
    let scene = scene(vec![wall(0.0, true)], vec![moved]);
    assert_eq!(nearest(&scene, ray(4.5, 0.0)).map(|hit| hit.t), Some(6.0));
    assert_eq!(nearest(&scene, ray(0.5, 0.0)), None);
}

#[test]
fn masks_flags_and_facing_leave_out_what_they_say() {
    let second = Instance { mask: 2, offset: 1, ..Instance::default() };
    let plain = scene(vec![wall(0.0, true)], vec![Instance { mask: 1, ..Instance::default() }, second]);
    let with = |flags: u32, mask: u32| nearest(&plain, Ray { flags, mask, ..ray(0.0, 0.5) });
    assert_eq!(with(0, 2).map(|hit| hit.instance), Some(1));
    assert_eq!(with(0, 4), None);
    assert!(with(flags::CULL_FRONT, 255).is_some() && with(flags::CULL_BACK, 255).is_none());
    assert!(with(flags::CULL_OPAQUE, 255).is_none() && with(flags::CULL_NO_OPAQUE, 255).is_some());
    assert!(with(flags::SKIP_TRIANGLES, 255).is_none() && with(flags::SKIP_BOXES, 255).is_some());
    let turned = Instance { flags: instance_flags::FLIP_FACING, ..Instance::default() };
    let turned = scene(vec![wall(0.0, true)], vec![turned]);
    assert_eq!(nearest(&turned, ray(0.0, 0.5)).map(|hit| hit.kind), Some(Hit::FRONT));
    let both = Instance { flags: instance_flags::FACING_CULL_DISABLE, ..Instance::default() };
    let both = scene(vec![wall(0.0, true)], vec![both]);
    assert!(nearest(&both, Ray { flags: flags::CULL_BACK, ..ray(0.0, 0.5) }).is_some());
}

#[test]
fn shaders_are_asked_about_what_is_not_opaque() {
    let asked = |own: bool, instance: u8, flags: u32| {
        let instance = Instance { flags: instance, ..Instance::default() };
        let scene = scene(vec![wall(0.0, own)], vec![instance]);
        Traversal::new(Ray { flags, ..ray(0.0, 0.5) }, 0).proceed(&scene)
    };
    assert!(!asked(true, 0, 0) && asked(false, 0, 0));
    assert!(asked(true, instance_flags::FORCE_NO_OPAQUE, 0));
    assert!(!asked(false, instance_flags::FORCE_OPAQUE, 0));
    assert!(!asked(false, 0, flags::OPAQUE) && asked(true, 0, flags::NO_OPAQUE));
}

#[test]
fn boxes_are_candidates_and_hits_within_them_have_to_be_in_range() {
    let shape = Shape::Boxes(vec![[[-1.0; 3], [1.0; 3]]]);
    let scene = scene(vec![Geometry { shape, opaque: true }], vec![Instance::default()]);
    let mut search = Traversal::new(ray(0.0, 0.0), 0);
    assert!(search.proceed(&scene));
    assert_eq!(search.candidate.map(|hit| (hit.procedural, hit.t)), Some((true, 4.0)));
    assert_eq!(search.within(101.0, 7), None);
    search.take(search.within(5.0, 7).expect("it is in range"));
    assert_eq!(search.within(5.5, 7), None);
    assert!(!search.proceed(&scene));
    assert_eq!(search.committed.map(|hit| (hit.t, hit.kind)), Some((5.0, 7)));
}

#[test]
fn no_ray_meets_what_has_nan_for_an_x() {
    let there = [[-1.0; 3], [1.0; 3]];
    for absent in [[[f32::NAN; 3]; 2], [[f32::NAN, -1.0, -1.0], [1.0; 3]]] {
        let shape = Shape::Boxes(vec![absent, there, absent]);
        let scene = scene(vec![Geometry { shape, opaque: true }], vec![Instance::default()]);
        let mut search = Traversal::new(ray(0.0, 0.0), 0);
        assert!(search.proceed(&scene));
        assert_eq!(search.candidate.map(|hit| hit.primitive), Some(1));
        assert!(!search.proceed(&scene));
    }
    let [a, b, c] = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [f32::NAN, 1.0, 0.0]];
    let shape = Shape::Triangles(vec![[a, b, c], [c, a, b], [b, c, a], [c; 3]]);
    let scene = scene(vec![Geometry { shape, opaque: true }], vec![Instance::default()]);
    assert_eq!(nearest(&scene, ray(0.0, -0.5)), None);
}

#[test]
fn the_first_hit_ends_a_search_that_asks_for_no_more() {
    let two = scene(vec![wall(2.0, true), wall(1.0, true)], vec![Instance::default()]);
    let first = Ray { flags: flags::TERMINATE_ON_FIRST_HIT, ..ray(0.0, 0.5) };
    assert_eq!(nearest(&two, first).map(|hit| hit.geometry), Some(0));
}

#[test]
fn what_is_met_does_not_depend_on_the_boxes_around_runs() {
    // Many small triangles, and rays that are tried against each alone.
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut point = || [random() * 3.0, random() * 3.0, random() * 3.0];
    let all: Vec<[[f32; 3]; 3]> = (0..200).map(|_| [point(), point(), point()]).collect();
    let rays: Vec<Ray> =
        (0..200).map(|_| Ray { origin: point(), direction: point(), ..ray(0.0, 0.0) }).collect();
    let one = |shape: Shape| scene(vec![Geometry { shape, opaque: true }], vec![Instance::default()]);
    let together = one(Shape::Triangles(all.clone()));
    let apart: Vec<Scene> = all.iter().map(|t| one(Shape::Triangles(vec![*t]))).collect();
    let mut met = 0;
    for ray in rays {
        let alone = apart.iter().enumerate().filter_map(|(n, s)| Some((n as u32, nearest(s, ray)?.t)));
        let best = alone.min_by(|a, b| a.1.total_cmp(&b.1));
        assert_eq!(nearest(&together, ray).map(|hit| (hit.primitive, hit.t)), best);
        met += usize::from(best.is_some());
    }
    assert!(met > 100, "{met}");
}

#[test]
fn scenes_are_refused_where_no_api_allows_them() {
    let refused = |geometry: Geometry, instance: Instance| {
        let made =
            Scene::new(vec![Mesh { geometries: vec![geometry], ..Mesh::default() }], vec![vec![instance]]);
        made.map(|(_, odd)| odd.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
            .map_err(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    };
    let triangle = |corners| Geometry { shape: Shape::Triangles(vec![corners]), opaque: true };
    let sound = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(refused(triangle(sound), Instance::default()), Ok(String::new()));
    let flat = refused(triangle([[0.0; 3]; 3]), Instance::default());
    assert!(flat.is_ok_and(|odd| odd.contains("no area")));
    let absent = refused(triangle([[f32::NAN, 0.0, 0.0], sound[1], sound[2]]), Instance::default());
    assert!(absent.is_ok_and(|odd| odd.contains("not there")));
    let absent = refused(triangle([sound[0], sound[1], [f32::NAN, 1.0, 0.0]]), Instance::default());
    assert!(absent.is_ok_and(|odd| odd.contains("not there")));
    let broken = refused(triangle([sound[0], [0.0, f32::NAN, 0.0], sound[2]]), Instance::default());
    assert!(broken.is_err_and(|why| why.starts_with("mesh 0, geometry 0, primitive 0: ")));
    let flat = Affine([[0.0; 4], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);
    let flattened = Instance { transform: flat, ..Instance::default() };
    assert!(refused(triangle(sound), flattened).is_err_and(|why| why.contains("structure 0, instance 0")));
    let nowhere = Instance { mesh: 3, ..Instance::default() };
    assert!(refused(triangle(sound), nowhere).is_err_and(|why| why.contains("mesh 3")));
    let large = Instance { custom_index: 1 << 24, ..Instance::default() };
    assert!(refused(triangle(sound), large).is_err_and(|why| why.contains("24 bits")));
    let reversed = Geometry { shape: Shape::Boxes(vec![[[1.0; 3], [0.0; 3]]]), opaque: true };
    assert!(refused(reversed, Instance::default()).is_err_and(|why| why.contains("least")));
}

#[test]
fn pipelines_say_which_group_lacks_its_stage() {
    let stages = vec![Kind::RayGeneration, Kind::Miss, Kind::ClosestHit];
    let record = |group| Record { group: Some(group), data: Vec::new() };
    let table =
        Table { raygen: record(0), miss: vec![record(1)], hit: vec![record(2)], callable: Vec::new() };
    let groups = vec![Group::General(0), Group::General(1), Group::Triangles { closest: Some(2), any: None }];
    let sound = Pipeline { stages, groups, table, depth: 1, ..Pipeline::default() };
    assert_eq!(sound.check(), []);
    let mut wrong = sound.clone();
    wrong.groups[2] = Group::Procedural { closest: Some(2), any: None, intersection: 1 };
    assert_eq!(
        wrong.check()[0].to_string(),
        "group 2: wants one of the kind intersection, and stage 1 is of the kind miss"
    );
    let mut wrong = sound.clone();
    wrong.table.miss[0].group = Some(0);
    assert_eq!(wrong.check()[0].to_string(), "table, miss 0: group 0 has no miss stage");
    let mut wrong = sound.clone();
    wrong.table.hit[0].group = Some(7);
    assert_eq!(wrong.check()[0].to_string(), "table, hit 0: names group 7, and there are 3");
    let mut wrong = sound;
    wrong.table.raygen.group = None;
    assert!(wrong.check()[0].to_string().starts_with("table, raygen: names no group"));
}
