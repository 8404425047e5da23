"""`python -m compilescope`."""

import sys

from compilescope.cli.main import main

sys.exit(main())
