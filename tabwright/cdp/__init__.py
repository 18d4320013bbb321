"""The CDP client, and the processes of Chromium. It imports no other package of tabwright."""
