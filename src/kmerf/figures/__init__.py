"""Pictures, each a matplotlib `Figure` returned by one call; matplotlib is imported only when one is drawn."""
