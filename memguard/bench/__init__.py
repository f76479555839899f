"""Measurements that anybody can run again: ``memguard bench …``."""
