"""Documentation, and what it runs to show the program's own output."""
