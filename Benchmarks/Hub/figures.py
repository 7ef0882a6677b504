# SPDX-License-Identifier: Apache-2.0
"""What was measured, each beside its bar."""
import sys


class Figures:
    def __init__(self):
        self.missed, self.found = [], {}

    def head(self, text):
        print(f"\n{text}", flush=True)

    def tell(self, what, value, unit="", most=None, least=None, name=None):
        """Prints a figure; one above `most` or below `least` is missed. A `name` keeps it for the arithmetic."""
        is_missed = most is not None and value > most or least is not None and value < least
        bar = f"bar ≤ {most:g}" if most is not None else f"bar ≥ {least:g}" if least is not None else ""
        shown = f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}" if value < 1 else f"{value:.2f}"
        print(f"  {what:<66} {shown:>14} {unit:<8} {bar}{'   MISSED' if is_missed else ''}".rstrip(), flush=True)
        if is_missed:
            self.missed.append(what)
        if name:
            self.found[name] = value

    def end(self):
        if self.missed:
            sys.exit(f"\nmissed: {'; '.join(self.missed)}")
