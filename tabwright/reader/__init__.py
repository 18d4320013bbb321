"""Reading pages and media in tiers: by HTTP, in a tab, in a tab with a full load."""
