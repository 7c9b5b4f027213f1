"""The verification layers."""
