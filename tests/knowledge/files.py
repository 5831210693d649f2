"""Small documents in formats that nobody writes by hand."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from zipfile import ZipFile


def pdf(*pages: Sequence[str], title: str = "") -> bytes:
    """A PDF with these lines on its pages."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
        text = f"BT /F1 12 Tf 72 720 Td {shown}ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
    objects.append(f"<< /Title ({title}) >>")
    written, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{each}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\n"
    return written + f"{end}startxref\n{len(written)}\n%%EOF\n".encode()


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_PACKED = "vnd.openxmlformats-package.relationships+xml"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def docx(*paragraphs: tuple[int, str]) -> bytes:
    """A Word document: paragraphs with the level of their heading; 0: none."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="H{level}"><w:name w:val="heading {level}"/></w:style>'
        for level in (1, 2, 3)
    )
    body = ""
    for level, text in paragraphs:
        style = f'<w:pPr><w:pStyle w:val="H{level}"/></w:pPr>' if level else ""
        body += f"<w:p>{style}<w:r><w:t>{text}</w:t></w:r></w:p>"
    types = "".join(
        f'<Override PartName="/word/{part}.xml" ContentType="{_TYPE}.{kind}+xml"/>'
        for part, kind in (("document", "document.main"), ("styles", "styles"))
    )
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Default Extension="rels" ContentType="application/{_PACKED}"/>{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
        f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
        f'Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
        "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
    }
    packed = BytesIO()
    with ZipFile(packed, "w") as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return packed.getvalue()
