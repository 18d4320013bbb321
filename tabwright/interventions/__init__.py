"""CAPTCHAs that wait for a person."""
