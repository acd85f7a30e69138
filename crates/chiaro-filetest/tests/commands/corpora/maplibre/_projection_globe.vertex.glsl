float projected(float x) { return x * 0.5; }
