"""From disk to graph: what changed is read, resolved, matched and written, and the anchors follow."""
