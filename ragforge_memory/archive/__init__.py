"""Conversations as archives: written out, taken in again, and what other programs have kept."""
