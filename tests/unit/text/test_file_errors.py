"""Failed uses of files as sentences."""

import errno
import os
from pathlib import Path

import pytest

from tabwright.text.file_errors import file_problem

NUMBERS = sorted(errno.errorcode)


@pytest.mark.parametrize("writing", [False, True])
@pytest.mark.parametrize("number", NUMBERS)
def test_problem_of_every_error_number_names_the_path_without_the_number(
    number: int, writing: bool
) -> None:
    error = OSError(number, os.strerror(number), "/a/b")
    text = file_problem(error, Path("/a/b"), writing=writing)
    assert "/a" in text
    assert "Errno" not in text
    assert text.endswith(".")


def test_missing_file_is_named_and_when_writing_its_folder() -> None:
    error = FileNotFoundError(errno.ENOENT, "No such file or directory")
    assert file_problem(error, "/a/b") == "The file /a/b does not exist."
    assert file_problem(error, "/a/b", writing=True) == "The folder /a does not exist."


def test_folder_that_cannot_be_made_is_named() -> None:
    error = FileExistsError(errno.EEXIST, "File exists", "/a")
    assert file_problem(error, "/a/b", writing=True) == "/a is a file, not a folder."
    assert file_problem(error, "/a", writing=True) == "/a already exists."


def test_problem_of_bytes_that_are_no_text_says_so() -> None:
    error = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    assert file_problem(error, "a.txt") == "a.txt is not a text file in UTF-8."


@pytest.mark.parametrize("error", [OSError(), ValueError("Expected `int`.")])
def test_problem_without_a_number_ends_like_a_sentence(error: Exception) -> None:
    text = file_problem(error, "a.txt")
    assert text.startswith("a.txt cannot be read")
    assert text.endswith(".")
    assert ".." not in text
