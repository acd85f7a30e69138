; SPIR-V as text is left out
