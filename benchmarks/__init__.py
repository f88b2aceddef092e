"""Scripts that measure kmerf: README.md names the page that each of them writes."""
