"""Peakwise: how much of an accelerator's peak a model really uses."""
