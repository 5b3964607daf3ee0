"""Judge the verifier of programs: known exploits, honest programs and variations of them, mistakes, and the rate."""
