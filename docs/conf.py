"""The configuration of the documentation; `make docs` builds it."""

import sys
from pathlib import Path

from tabwright import __version__

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "tabwright"
project_copyright = "the tabwright authors"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "repository_links",
    "reference",
]
exclude_patterns = ["_build", "_extensions"]
default_role = "code"

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # the generated sections start at the level of their page

autodoc_default_options = {"member-order": "bysource"}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_use_ivar = True
napoleon_attr_annotations = False  # the signature has the types
napoleon_preprocess_types = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
add_module_names = False
toc_object_entries = False

html_theme = "furo"
html_title = f"tabwright {version}"
html_static_path = ["_static"]
html_css_files = ["tabwright.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b6e6e",
        "color-brand-content": "#0b6e6e",
        "color-brand-visited": "#5b4a8a",
    },
    "dark_css_variables": {
        "color-brand-primary": "#5fd0c5",
        "color-brand-content": "#5fd0c5",
        "color-brand-visited": "#b8a6ef",
    },
}

copybutton_prompt_text = r"\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_exclude = ".linenos, .gp, .go"
