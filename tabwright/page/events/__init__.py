"""What a page reports: console, network, downloads and dialogs."""
