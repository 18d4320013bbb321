"""The commands and events in use, one module for each CDP domain.

Each function makes a `Command`; names and meanings are the protocol's own
(https://chromedevtools.github.io/devtools-protocol/tot/). Only what is used stands here:
generated bindings of the whole protocol cost a second of import.
"""
