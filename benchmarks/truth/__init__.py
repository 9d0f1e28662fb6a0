"""How true, sound and durable what kgbuild makes is."""
