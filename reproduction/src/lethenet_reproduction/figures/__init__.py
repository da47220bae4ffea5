"""Figures of the studies, from results only."""
