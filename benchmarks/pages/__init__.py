"""What writes pages and pictures from the results of studies."""
