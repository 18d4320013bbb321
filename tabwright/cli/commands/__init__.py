"""The commands, by what they are for: the options, the implementation and the help of each."""
