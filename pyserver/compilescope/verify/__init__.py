"""Fix and verify: trace the program again with a fix applied, and compare."""
