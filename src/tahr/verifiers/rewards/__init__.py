"""Rewards made of several, and parts that shape them."""
