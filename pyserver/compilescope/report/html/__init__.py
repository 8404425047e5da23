"""The report as one HTML file: no script, no request, everything in it. A module for each section."""
