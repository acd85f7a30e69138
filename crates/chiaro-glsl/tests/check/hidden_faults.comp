#version 450
layout(local_size_x = 1) in;
writeonly buffer Hidden { float number; int place; bool flag; float open[]; } hidden;
buffer Part { writeonly float number; float seen[4]; };
shared float all[4];
float returned() { return hidden.number; }
void main()
{
    float a = hidden.number;
    float b = (number);
    float c[2] = { number, 1.0 };
    float d = seen[0] > 0.0 ? number : 1.0;
    all[0] = all[hidden.place];
    if (hidden.flag) all[1] = 1.0;
    while (hidden.flag) all[1] = 1.0;
    switch (hidden.place) { case 1: break; }
    hidden.number = seen[1];
    number = float(hidden.open.length());
}
--- expect
error: this is `writeonly` and cannot be read
 --> hidden_faults.comp:6:27
  |
6 | float returned() { return hidden.number; }
  |                           ^^^^^^^^^^^^^

error: this is `writeonly` and cannot be read
 --> hidden_faults.comp:9:15
  |
9 |     float a = hidden.number;
  |               ^^^^^^^^^^^^^

error: this is `writeonly` and cannot be read
  --> hidden_faults.comp:10:16
   |
10 |     float b = (number);
   |                ^^^^^^

error: this is `writeonly` and cannot be read
  --> hidden_faults.comp:11:20
   |
11 |     float c[2] = { number, 1.0 };
   |                    ^^^^^^

error: this is `writeonly` and cannot be read
  --> hidden_faults.comp:12:31
   |
12 |     float d = seen[0] > 0.0 ? number : 1.0;
   |                               ^^^^^^

error: this is `writeonly` and cannot be read
  --> hidden_faults.comp:13:18
   |
13 |     all[0] = all[hidden.place];
   |                  ^^^^^^^^^^^^

error: this is `writeonly` and cannot be read
  --> hidden_faults.comp:14:9
   |
14 |     if (hidden.flag) all[1] = 1.0;
   |         ^^^^^^^^^^^

error: this is `writeonly` and cannot be read
  --> hidden_faults.comp:15:12
   |
15 |     while (hidden.flag) all[1] = 1.0;
   |            ^^^^^^^^^^^

error: this is `writeonly` and cannot be read
  --> hidden_faults.comp:16:13
   |
16 |     switch (hidden.place) { case 1: break; }
   |             ^^^^^^^^^^^^

