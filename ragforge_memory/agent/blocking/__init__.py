"""The blocking classes: each method runs its awaited twin on the background loop."""
