"""Conversations that are held in memory, with or without a graph behind them."""
