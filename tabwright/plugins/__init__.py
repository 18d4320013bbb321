"""The plugins of tabwright, each a package with a `PLUGIN`; see `tabwright.plugin`."""
