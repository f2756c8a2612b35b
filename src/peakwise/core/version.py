"""The version that every document names."""

VERSION = "0.2.0"
