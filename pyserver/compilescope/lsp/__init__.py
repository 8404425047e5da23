"""The language server: one module per feature."""
