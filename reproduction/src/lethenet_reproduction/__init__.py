"""The reproduction of Allred & Roy, "Controlled Forgetting", and the studies behind lethenet's numbers."""
