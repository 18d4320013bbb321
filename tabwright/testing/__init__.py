"""What tests of tabwright, and of programs that embed it, are made with."""
