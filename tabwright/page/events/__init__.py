"""The events of a page: console, network, downloads and dialogs."""
