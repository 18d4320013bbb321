"""What is said on the command line: commands, their options, the settings they stand for."""
