"""The handling of every CAPTCHA: a person is called, and the search or the reading waits.

`tabwright.search` and `tabwright.reader` recognize a CAPTCHA on a page. Then `handoff` calls a
person and waits, and `captcha_hold` keeps the page open until the person has solved it.
"""
