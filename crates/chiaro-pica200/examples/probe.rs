use chiaro_pica200::{abi, compile};
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut sources = chiaro_diag::SourceMap::new();
        let file = sources.add(path.as_str(), text.as_str());
        let hub = chiaro_spirv::wgsl::read(&text, file, &Default::default()).unwrap();
        let reading = chiaro_spirv::read(&hub.words, &Default::default(), &mut sources).unwrap();
        let leaves = reading
            .interface
            .leaves
            .iter()
            .map(|l| abi::Leaf {
                name: l.name.clone(),
                global: Some(l.global),
                path: l.path.clone(),
                columns: l.columns,
            })
            .collect();
        let interface = abi::Interface { leaves };
        let ir = std::env::var("IR").is_ok();
        let mut watch = |e: &chiaro_opt::Event<'_>| {
            if ir && e.changed == chiaro_opt::Changed::Yes {
                println!(
                    "--- {}\n{}",
                    e.pass,
                    chiaro_ir::print_function(e.module, e.module.function(e.function), Default::default())
                );
            }
        };
        let mut cx = chiaro_opt::Cx { verify: true, watch: Some(&mut watch), ..Default::default() };
        let start = std::time::Instant::now();
        match compile::compile(&reading.module, &interface, "main", &Default::default(), &mut cx) {
            Ok(c) => {
                println!("{path}: {:?} {:?}", c.statistics, start.elapsed());
                println!(
                    "{}",
                    chiaro_pica200::listing::listing(&c.shbin, &Default::default())
                        .unwrap_or_else(|e| format!("{e:?}"))
                );
                for f in chiaro_pica200::check::check(&c.shbin) {
                    println!("CHECK {f:?}");
                }
            }
            Err(e) => println!("{path}: {}", e.message),
        }
    }
}
