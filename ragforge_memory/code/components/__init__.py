"""Vue and Svelte."""
