"""The shapes of our own requests and notifications on the wire, one module per thing that they are about."""
