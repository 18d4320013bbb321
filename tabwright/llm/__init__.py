"""Language models: vendors, routing and transport."""
