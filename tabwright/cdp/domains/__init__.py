"""The commands and events in use, one module for each CDP domain.

Each function returns a `Command`; names and meanings are those of the protocol
(https://chromedevtools.github.io/devtools-protocol/tot/). Only the used part is included: generated
bindings of the whole protocol take a second to import.
"""
