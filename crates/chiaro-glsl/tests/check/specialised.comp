#version 450
layout(constant_id = 1) const int N = 4;
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Data { float data[]; };
void main() {
    const int twice = N * 2;
    float all[twice];
    const int more = twice + 1;
    int marks[more];
    for (int i = 0; i < twice; i++) all[i] = data[i];
    marks[0] = all.length();
    data[0] = all[1] + float(marks[0]);
}
--- expect
Buffer block Data binding=0
