"""The BrowserSupervisor: workers that keep browsers, and the pool of tabs."""
