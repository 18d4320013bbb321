import pytest

from tabwright.cli.batch import BatchOptions
from tabwright.cli.command_line import parser
from tabwright.cli.layers import layers
from tabwright.config.loader import settings_from
from tabwright.protocol.errors import BadInput, SettingsError
from tabwright.protocol.extraction import ReadOptions


def settings_of(*flags):
    options = parser().parse_args(["read", *flags, "https://a.example/"])
    return settings_from(*layers(options)).reading


def test_media_flags_set_picture_size_quality_and_video_frames():
    requests = settings_of(
        "--image-size", "320x200", "--image-quality", "50", "--video-frames", "2"
    )
    assert (requests.picture_width, requests.picture_height) == (320, 200)
    assert (requests.picture_quality, requests.video_frames) == (50, 2)


def test_media_options_without_flags_come_from_settings():
    assert settings_of() == settings_from().reading


@pytest.mark.parametrize("size", ["320", "320x", "axb", "-1x2", "100000x1"])
def test_malformed_image_size_is_refused(size, capsys):
    with pytest.raises(SystemExit):
        settings_of(f"--image-size={size}")
    assert "is not of the form 640x480" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flag", "value"),
    [("--image-size", "0x200"), ("--image-quality", "101"), ("--video-frames", "21")],
)
def test_out_of_range_media_value_is_refused_with_its_flag(flag, value):
    with pytest.raises(SettingsError, match=flag):
        settings_of(flag, value)


def test_media_download_of_several_pages_is_refused():
    with pytest.raises(BadInput, match="one page at a time"):
        BatchOptions(
            urls=("https://a.example/", "https://b.example/"),
            reading=ReadOptions(),
            download_media=True,
        )
