// Words of the Mali-400 by hand: units stand between
// semicolons, all of them work at once. ^mul0 is what the first
// multiplier made a word ago, ^^mul1 what the second made two
// words ago; later it is lost, unless pass carries it on.
//
// t[0] and t[1] are uniforms, a0 is an attribute, v0 an output.
    in0 a0; in2 t[0]; mul0 in0.x, in2.x; mul1 in0.y, in2.y
    in0 a0; in2 t[0]; mul0 in0.z, in2.z; mul1 in0.w, in2.w; pass.mov ^mul0
    in2 t[1]; add0.add ^mul0, in2.z; add1.add ^mul1, in2.w; pass.mov ^^mul1; out1 v0 = add0, add1
    in2 t[1]; add0.add ^^pass, in2.x; add1.add ^pass, in2.y; out0 v0 = add0, add1
