"""Set-up and checks of the repository. Nothing here is part of the product."""
