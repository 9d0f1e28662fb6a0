"""Models on this machine: their libraries are imported when one is loaded."""
