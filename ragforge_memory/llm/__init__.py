"""Chat models behind one port; an SDK is imported only in its own file, when first used."""
