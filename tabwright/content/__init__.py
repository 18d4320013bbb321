"""From bytes or a DOM to a page snapshot, and from that to text."""
