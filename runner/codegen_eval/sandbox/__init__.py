"""Throwaway places to run solutions in. One guest, several ways to hold it."""
