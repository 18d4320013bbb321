"""The tools of other servers, for prompts and clients that were made for them."""
