float half_of(float x) { return x / 2.0; }
