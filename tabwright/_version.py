"""The version, in a separate module: importing it does not import the public names."""

__version__ = "0.1.0"
