"""The provider without a model: nine intents, and a search for everything else."""
