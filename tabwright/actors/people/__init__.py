"""What waits for a person: a CAPTCHA is held, and never solved by us."""
