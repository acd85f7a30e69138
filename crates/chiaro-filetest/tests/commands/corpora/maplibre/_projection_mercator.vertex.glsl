float projected(float x) { return x * 2.0; }
