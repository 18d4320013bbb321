import stat

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.page_text import PageText, Timing
from tabwright.protocol.snapshot import LoadedPage, MediaItem, Metadata
from tabwright.reader import media
from tabwright.reader.media import MediaFolder, download_media

SITE = "https://site.example"


@attrs.frozen
class FakeCache:
    """A fake media cache with a fixed response for each URL."""

    found: dict[str, Fetched]

    async def fetched(self, medium, _session):
        return self.found.get(medium.url)


def sent(name, media_type="image/png", body=b"picture", **more):
    url = f"{SITE}/{name}"
    return url, Fetched(LoadedPage(url, 200, media_type), body, **more)


def page_with(*urls):
    items = [MediaItem(number, "image", url) for number, url in enumerate(urls, start=1)]
    return PageText(
        url=f"{SITE}/page",
        title="",
        status=200,
        media_type="text/html",
        format="markdown",
        text="",
        tier=1,
        tier_reason="",
        metadata=Metadata(),
        timing=Timing(0, 0, 0),
        media=tuple(items),
    )


async def downloaded(folder, *answers, bytes_max=1000):
    cache = FakeCache({url: fetched for url, fetched in answers if fetched})
    page = page_with(*(url for url, _ in answers))
    return await download_media(cache, page, MediaFolder(folder), bytes_max)


async def test_media_files_are_named_by_number_and_type(tmp_path):
    files = await downloaded(
        tmp_path / "new" / "folder",
        sent("../../etc/passwd"),
        sent("film.exe", "video/mp4", b"film"),
        sent("con", "audio/x-strange", b"sound"),
    )
    assert [(one.number, one.path.name) for one in files] == [
        (1, "001.png"),
        (2, "002.mp4"),
        (3, "003.bin"),
    ]
    assert files[1].path.read_bytes() == b"film"
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == ["001.png", "002.mp4", "003.bin"]


async def test_media_files_and_folders_are_private_to_the_user(tmp_path):
    folder = tmp_path / "new" / "folder"
    (file,) = await downloaded(folder, sent("a.png"))
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder, file.path)]
    assert modes == [0o700, 0o700, 0o600]


async def test_missing_truncated_and_non_media_files_are_skipped(tmp_path):
    files = await downloaded(
        tmp_path,
        ("", None),
        (f"{SITE}/gone.png", None),
        sent("half.png", cut="size_limit"),
        sent("login.png", "text/html", b"<p>Log in"),
        sent("there.png"),
    )
    assert [one.number for one in files] == [5]
    assert [path.name for path in tmp_path.iterdir()] == ["005.png"]


async def test_media_files_are_limited_by_count_and_total_size(tmp_path, monkeypatch):
    pictures = [sent(f"{number}.png", body=b"12345") for number in range(5)]
    assert len(await downloaded(tmp_path / "small", *pictures, bytes_max=14)) == 2
    monkeypatch.setattr(media, "MEDIA_MAX", 3)
    assert len(await downloaded(tmp_path / "few", *pictures)) == 3


async def test_existing_symlink_does_not_redirect_media_outside_the_folder(tmp_path):
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "001.png").symlink_to(outside)
    (folder / ".001.png.new").symlink_to(outside)
    await downloaded(folder, sent("1.png", body=b"theirs"))
    assert outside.read_bytes() == b"mine"
    assert (folder / "001.png").read_bytes() == b"theirs"
    assert not (folder / "001.png").is_symlink()


async def test_unwritable_media_folder_is_reported(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(BadInput, match="--media-dir"):
        await downloaded(tmp_path / "file", sent("1.png"))


@given(st.text())
def test_media_folder_of_any_url_lies_in_the_media_cache(url):
    folder = MediaFolder.of(attrs.evolve(page_with(), url=url)).path
    assert folder.parent.name == "media"
    assert folder.name.isalnum()
