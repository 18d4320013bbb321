"""The video of a trace, played by Chromium, and the error if ffmpeg is missing."""

import base64

import msgspec
import pytest
from imageio_ffmpeg import get_ffmpeg_exe

from tabwright.plugins.trace.trace_file import Trace
from tabwright.plugins.trace.video import make_video, timed_pictures
from tabwright.protocol.actions import Emulate
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
        await site.tabwright.session("s").change_trace("start")
        for name in "ab":
            await site.tabwright.session("s").enter(site.url(f"/{name}"))
        await site.tabwright.session("s").act(Emulate(viewport=(400, 800)))
        trace = await site.stopped()
        seconds = sum(one.seconds for one in timed_pictures(trace))
        video = base64.b64encode(await make_video(trace, get_ffmpeg_exe())).decode()
        played = await site.tabwright.session("s").inspect(Evaluate(PLAY % video))
    width, height, length = msgspec.json.decode(played.json, type=tuple[int, int, float])
    assert (width, height) == (1280, 720)
    assert length == pytest.approx(seconds, abs=0.3)


async def test_video_without_screenshots_or_ffmpeg_is_refused(open_recorder):
    async with open_recorder() as site:
        site.pages["/"] = "<title>Page</title>"
        await site.tabwright.session("s").change_trace("start")
        await site.tabwright.session("s").enter(site.url())
        trace = await site.stopped()
    for one, program in ((Trace(trace.header, (), {}), get_ffmpeg_exe()), (trace, "/no/ffmpeg")):
        with pytest.raises(BadInput):
            await make_video(one, program)
