declare module "*.vert" { const text: string; export default text; }
declare module "*.frag" { const text: string; export default text; }
declare module "*.comp" { const text: string; export default text; }
declare module "*.wgsl" { const text: string; export default text; }
declare module "*.pica" { const text: string; export default text; }
declare module "*.agx" { const text: string; export default text; }
declare module "*.s" { const text: string; export default text; }
