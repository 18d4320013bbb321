from base64 import b64encode

import pytest

from tabwright.protocol.snapshot import MediaItem

HOME = "https://a.example"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<img src=/p.png alt=' A  b' title=T width=20 height='30px'>",
            MediaItem(1, "image", f"{HOME}/p.png", "A b", "T", 20, 30),
        ),
        (
            "<img data-original=/p.png src=/grey.gif width=50%>",
            MediaItem(1, "image", f"{HOME}/p.png"),
        ),
        ("<img src='data:,x' alt=Drawn>", MediaItem(1, "image", "", "Drawn")),
        (
            "<video width=640><source src=/v.webm><source src=/v.mp4><track src=/v.vtt></video>",
            MediaItem(1, "video", f"{HOME}/v.webm", width=640, captions=(f"{HOME}/v.vtt",)),
        ),
        ("<video src=blob:x></video>", MediaItem(1, "video", "")),
        (
            "<audio src=/a.mp3 aria-label=Song></audio>",
            MediaItem(1, "audio", f"{HOME}/a.mp3", "Song"),
        ),
        ("<canvas width=3 height=4></canvas>", MediaItem(1, "canvas", "", width=3, height=4)),
        (
            "<canvas data-drawn='data:image/jpeg;base64,QUI='></canvas>",
            MediaItem(1, "canvas", "", drawn=True, drawing=b"AB"),
        ),
        ("<canvas data-drawn=''></canvas>", MediaItem(1, "canvas", "", drawn=True)),
        (
            "<canvas data-drawn='data:image/jpeg;base64,Q'></canvas>",
            MediaItem(1, "canvas", "", drawn=True),
        ),
        ("<video data-drawn='data:image/jpeg;base64,QUI='></video>", MediaItem(1, "video", "")),
    ],
)
def test_media_elements_are_read_with_url_alt_and_size(
    snap, html: str, expected: MediaItem
) -> None:
    assert snap(html).media == (expected,)


def test_large_canvas_drawing_is_kept_whole(snap) -> None:
    drawing = b"A" * 300_000
    url = f"data:image/jpeg;base64,{b64encode(drawing).decode()}"
    (canvas,) = snap(f"<p>Text</p><canvas data-drawn='{url}'></canvas>").media
    assert canvas.drawing == drawing


def test_tracking_pixels_and_empty_images_are_not_media(snap) -> None:
    html = "<img src=/dot.gif width=1 height=1><img src='data:,x'><img><svg><title>S</title></svg>"
    assert snap(html).media == ()


def test_media_are_numbered_in_page_order_including_boilerplate(snap) -> None:
    page = snap("<nav><img src=/a></nav><video src=/v poster=/p></video><img src=/b>")
    assert [(medium.number, medium.kind, medium.url) for medium in page.media] == [
        (1, "image", f"{HOME}/a"),
        (2, "video", f"{HOME}/v"),
        (3, "image", f"{HOME}/p"),
        (4, "image", f"{HOME}/b"),
    ]


def test_default_captions_of_video_come_first(snap) -> None:
    (video,) = snap(
        "<video src=/v><track kind=chapters src=/c.vtt><track src=/en.vtt srclang=en>"
        "<track kind=captions src=/de.vtt default><track kind=METADATA src=/m.vtt></video>"
    ).media
    assert video.captions == (f"{HOME}/de.vtt", f"{HOME}/en.vtt")
