"""HTML to blocks: the tree, tables, forms, links and media."""
