"""File errors as sentences."""

import errno
import os
from pathlib import Path

import pytest

from tabwright.text.file_errors import file_problem


@pytest.mark.parametrize("writing", [False, True])
def test_file_problem_names_the_path_but_not_the_error_number(writing: bool) -> None:
    for number in errno.errorcode:
        error = OSError(number, os.strerror(number), "/a/b")
        text = file_problem(error, Path("/a/b"), writing=writing)
        assert "/a" in text
        assert "Errno" not in text
        assert text.endswith(".")


def test_missing_file_or_target_folder_is_named() -> None:
    error = FileNotFoundError(errno.ENOENT, "No such file or directory")
    assert file_problem(error, "/a/b") == "The file /a/b does not exist."
    assert file_problem(error, "/a/b", writing=True) == "The folder /a does not exist."


def test_file_in_place_of_a_folder_is_named() -> None:
    error = FileExistsError(errno.EEXIST, "File exists", "/a")
    assert file_problem(error, "/a/b", writing=True) == "/a is a file, not a folder."
    assert file_problem(error, "/a", writing=True) == "/a already exists."


def test_undecodable_file_is_reported_as_not_utf_8_text() -> None:
    error = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    assert file_problem(error, "a.txt") == "a.txt is not a text file in UTF-8."


@pytest.mark.parametrize("error", [OSError(), ValueError("Expected `int`.")])
def test_file_problem_without_error_number_ends_with_one_full_stop(error: Exception) -> None:
    text = file_problem(error, "a.txt")
    assert text.startswith("a.txt cannot be read")
    assert text.endswith(".")
    assert ".." not in text
