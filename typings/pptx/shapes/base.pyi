from pptx.text.text import TextFrame

class BaseShape:
    shape_id: int
    has_text_frame: bool
    has_table: bool
    has_chart: bool
    is_placeholder: bool
    text_frame: TextFrame
