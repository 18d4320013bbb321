"""Guessed names of controls without an accessible name, in a real Chromium."""

import pytest

from tabwright.protocol.actions import Click
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

BIN = "<style>.bin{content:url(/i/delete.png);cursor:pointer}</style><span class=bin></span>"
GUESSED = [
    ("<button><i class='fa fa-trash'></i></button>", 'button ~"trash"'),
    ("<button><svg><use href='#icon-star'></use></svg></button>", 'button ~"star"'),
    ("<button><svg data-icon='arrow-left'></svg></button>", 'button ~"arrow"'),
    ("<button><img src='/img/zoom-in.png'></button>", 'button ~"zoom in"'),
    ("<button data-tooltip='Undo the last step'></button>", 'button ~"Undo the last step"'),
    ("<button data-testid='close-dialog'></button>", 'button ~"close dialog"'),
    ("<button id=saveDraft></button>", 'button ~"save draft"'),
    ("<a href=/x><span class='icon-home'></span></a>", 'link ~"home" /x'),
    (BIN, 'clickable ~"delete"'),
    ("<p>E-mail address: <input id=i7></p>", 'textbox ~"E-mail address"'),
    ("<table><tr><td>City<td><input name=q></table>", 'textbox ~"City"'),
    ("<p><input type=checkbox> Keep me signed in</p>", 'checkbox ~"Keep me signed in"'),
    ("<button>Other</button><input name=quantity>", 'textbox ~"quantity"'),
]


@cases(("body", "line"), GUESSED)
async def test_control_without_a_name_is_listed_with_a_guess(agent, body, line):
    assert line in await agent.show(body)


@cases(
    "body",
    [
        "<button id=':r1:'></button>",
        "<button class='mantine-focus-auto toolbar-bold'></button>",
        "<button id=ember1043></button>",
        "<button data-testid=a1b2c3d4e5></button>",
    ],
)
async def test_generated_identifier_yields_no_name_guess(agent, body):
    assert "~" not in await agent.show(body)


async def test_control_with_a_name_has_no_guess(agent):
    outline = await agent.show(
        "<button class=fa-trash>Delete</button><input aria-label=Amount name=amount>"
        "<button aria-label='~&quot;trash&quot;'></button>"
    )
    assert '~"' not in outline.replace('"~', "")
    assert '"~\\"trash\\""' in outline


async def test_refusal_does_not_mention_guessed_name(agent):
    await agent.show(
        "<button class=fa-trash style='width:90px;height:40px'></button>"
        "<div style='position:absolute;inset:0'>Cover</div>"
    )
    ref = await agent.ref("trash")
    refusal = await agent.refused(Click(ref))
    assert "trash" not in refusal.message
