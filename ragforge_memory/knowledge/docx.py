"""Word documents (.docx), by way of HTML."""

from __future__ import annotations

from io import BytesIO
from zipfile import BadZipFile, ZipFile

from ragforge_memory.knowledge.html import read_html_text
from ragforge_memory.knowledge.markdown import title_of
from ragforge_memory.knowledge.parts import ReadDocument, Unreadable

# A small file may be packed so that it fills a disk.
_MOST_UNPACKED = 500_000_000
# Its text is held as a tree, some twenty times as large.
_MOST_TEXT = 30_000_000


def read_docx(data: bytes) -> ReadDocument:
    """A Word document: its headings, paragraphs, lists and tables; pictures are left out.

    Raises:
        Unreadable: it is not one, or a broken one.
    """
    import mammoth

    try:
        with ZipFile(BytesIO(data)) as packed:
            if sum(each.file_size for each in packed.infolist()) > _MOST_UNPACKED:
                raise Unreadable(f"it unpacks to more than {_MOST_UNPACKED:,} bytes")
            if any(each.file_size > _MOST_TEXT for each in packed.infolist() if each.filename.endswith(".xml")):
                raise Unreadable(f"its text has more than {_MOST_TEXT:,} bytes")
        picture = mammoth.images.img_element(lambda image: {"src": ""})
        html = str(mammoth.convert_to_html(BytesIO(data), convert_image=picture).value)
    except BadZipFile:
        raise Unreadable("it is not a Word document (.docx)") from None
    except Exception as error:  # a broken file fails anywhere in the library
        if isinstance(error, Unreadable):
            raise
        raise Unreadable(f"a broken Word document: {type(error).__name__}: {error}") from error
    blocks = read_html_text(f"<body>{html}</body>").blocks
    return ReadDocument(title_of(blocks), blocks)
