"""What is left out of a recording on request, before it is handed on: source text, paths, names, payloads."""
