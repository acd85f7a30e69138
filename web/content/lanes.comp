#version 450
// AMD's RDNA: what is the same for all lanes of a wave lives
// in scalar registers (s0), what differs in vector registers
// (v0). Here both sides are computed, and v_cndmask takes one
// or the other for each lane.
//
// s_waitcnt waits for memory by counting. Timeline shows what
// that costs.
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Data { float data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float x = data[i];
    if ((i & 1u) == 0u) {
        x = sqrt(x) * 2.0;
    } else {
        x = x * x;
    }
    data[i] = x;
}
