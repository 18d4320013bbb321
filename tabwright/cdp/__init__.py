"""The CDP client and Chromium's life. Imports nothing of ours."""
