"""The video of a trace, played by Chromium, and the error if ffmpeg is missing."""

import base64

import msgspec
import pytest
from imageio_ffmpeg import get_ffmpeg_exe

from tabwright import Emulate
from tabwright.plugins.trace.trace_file import Trace
from tabwright.plugins.trace.video import make_video, timed_pictures
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Evaluate

pytestmark = [pytest.mark.chromium, pytest.mark.ffmpeg]

PLAY = """new Promise((done) => {
  const video = document.createElement("video");
  video.muted = true;
  video.playbackRate = 8;
  video.onended = () => done([video.videoWidth, video.videoHeight, video.duration]);
  video.onerror = () => done(video.error.message);
  video.src = "data:video/webm;base64,%s";
  video.play();
})"""


async def test_trace_screenshots_become_a_video_that_chromium_plays(open_recorder):
    async with open_recorder() as site:
        site.pages |= {f"/{name}": f"<title>{name}</title><h1>{name}</h1>" for name in "abc"}
        await site.tabwright.change_trace("s", "start")
        for name in "ab":
            await site.tabwright.enter(site.url(f"/{name}"), session="s")
        await site.tabwright.act(Emulate(viewport=(400, 800)), session="s")
        trace = await site.stopped()
        seconds = sum(one.seconds for one in timed_pictures(trace))
        video = base64.b64encode(await make_video(trace, get_ffmpeg_exe())).decode()
        played = await site.tabwright.inspect(Evaluate(PLAY % video), session="s")
    width, height, length = msgspec.json.decode(played.json, type=tuple[int, int, float])
    assert (width, height) == (1280, 720)
    assert length == pytest.approx(seconds, abs=0.3)


async def test_video_without_screenshots_or_ffmpeg_is_refused(open_recorder):
    async with open_recorder() as site:
        site.pages["/"] = "<title>Page</title>"
        await site.tabwright.change_trace("s", "start")
        await site.tabwright.enter(site.url(), session="s")
        trace = await site.stopped()
    for one, program in ((Trace(trace.header, (), {}), get_ffmpeg_exe()), (trace, "/no/ffmpeg")):
        with pytest.raises(BadInput):
            await make_video(one, program)
