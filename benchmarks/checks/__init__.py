"""What scripts check: that nothing breaks, and how the code is built."""
