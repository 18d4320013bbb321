"""The objects that a program holds: sessions, pages and locators."""
