"""The skill for coding agents: correct command lines, and few tokens."""

import re
import shlex

from tabwright.cli.command_line import parse
from tabwright.cli.skill import skill_text
from tabwright.text.token_budget import count_tokens


def test_each_command_line_of_the_skill_can_be_parsed():
    lines = re.findall(r"(?:^|`)(tabwright [^`\n]+)", skill_text(), re.MULTILINE)
    assert len(lines) >= 30
    for line in lines:
        if "COMMAND" not in line:
            parse(shlex.split(line.partition("  #")[0])[1:])


def test_the_skill_is_short():
    assert count_tokens(skill_text()) <= 1500


def test_skill_front_matter_name_matches_folder():
    assert skill_text().startswith("---\nname: tabwright\ndescription: ")
