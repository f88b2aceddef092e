"""Planning: how many rows a test needs, from a pilot. May import `questions` and all below."""
