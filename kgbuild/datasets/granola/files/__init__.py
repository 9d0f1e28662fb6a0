"""Questions of files: read them, link their names, and add answers at every granularity."""
