"""The vocabulary that actors share: roles, requests, values, refusals.

No trio, no CDP and no JSON in here; every room may import this one.
"""
