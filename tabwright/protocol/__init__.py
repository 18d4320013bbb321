"""The vocabulary that actors share: roles, requests, values and refusals.

It contains no trio, no CDP and no JSON. Every package may import it.
"""
