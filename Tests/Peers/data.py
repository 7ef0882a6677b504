# SPDX-License-Identifier: Apache-2.0
"""A seeded data set that is hard to copy: many scripts, large numbers, nulls, nested values."""

import random

WORDS = ["naïve", "Straße", "日本語", "עברית", "🚂🛤️", "e\u0301", 'quo"te', "back\\slash", "new\nline", "tab\t", "</script>", "\u2028", "ﬁ", "a", ""]


class Data:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.made = 0

    def title(self):
        """A text that no other record has."""
        self.made += 1
        return f"{self.made} " + " ".join(self.random.choices(WORDS, k=4))

    def big(self):
        return self.random.choice([0, -1, 2**31, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)])

    def ratio(self):
        return self.random.choice([None, 0.1, -0.0, 1e-7, 1.5e300, 3.0, 2 / 3])

    def nested(self):
        return self.random.choice(
            [None, [], {}, [1, [2, [None]]], {"a": {"b": [True, {"c": "é"}]}, "": None}, {"n": 10**30, "x": 1e22}, "text", 7]
        )
