"""How people ask what is inside: of a project, a folder, a file, a definition; wordings as in `patterns`, which puts
them to use."""

from __future__ import annotations

LISTED = (
    "(?:functions|methods|classes|constants|variables|members|definitions|symbols|tests|scopes|interfaces|structs|enums"
    "|types|traits|macros)"
)
"""What is asked for by its sort."""

MODIFIER = "(?:unsafe|async(?:hronous)?|static|abstract|virtual|sealed|final|const|extern)"
"""What a word before a definition's name says of it."""

OVERVIEW = (
    r"(?:what(?:'s| is| are)?|list|show|give|which|how)\b.*?\b"
    r"(?:files|modules|packages|overview|structure|layout|architecture|inside|in)\b"
    r"(?: does| do| has| have| are| is)?(?: there| of| in| inside)?(?: in| of)? {project}"
    r"(?: (?:have|has|contains?|structured|organi[sz]ed|laid out|look like))?",
    r"(?:what|which) files are (?:there|here)|(?:give me )?(?:an )?overview|list (?:all )?(?:the )?files"
    r"|how is (?:it|this|{project}) (?:structured|organi[sz]ed|laid out)"
    r"|what(?:'s| is) {project}(?: about| for)?|what does {project} do"
    r"|(?:tell me (?:(?:something|more|a bit) )?about|describe|explain|summari[sz]e|introduce me to) {project}",
    r"(?:what|which) (?:are )?(?:the )?(?:main|most important|important|central|core|key) {listed}"
    r"(?: are there)?(?: (?:of|in) {project})?",
    r"(?:what|which|how many|list|show)(?: me)?(?: all)?(?: of)?(?: the)? {listed}"
    r"(?: (?:are|is) there| exist| do we have)(?: in {project})?|list (?:me )?(?:all )?(?:of )?(?:the )?{listed}"
    r"|(?:how many|what|which) {listed} (?:does|do) {project} (?:have|contain|define)",
    # Ruby's are definitions; those of other languages are files.
    r"(?:what|which|how many|list|show)(?: me)?(?: all)?(?: the)? modules(?: are there| exist| do we have)"
    r"(?: in {project})?",
    r"(?:what|which|how many) {listed} are {modifier}(?: in {project})?",
    r"(?:what|which|how many|list|show)(?: me)?(?: all)?(?: the)? {modifier} {listed}"
    r"(?: are there| exist| do we have)?(?: in {project})?",
)
"""What is in the project, or what of a sort is."""

FOLDER = (
    r"(?:what|which|list|show|give|name)(?: me)?(?: (?:all|the|other|source|python|of))* "
    r"(?:files|modules|packages|folders|directories)(?: (?:(?:that|which) )?(?:are|is|exist|live|lie|do we have))?"
    r"(?: there)? (?:in|inside|inside of|under|below|within|of) {x}(?: (?:have|contain|hold))?",
    r"what(?:'s| is| are| lies) (?:there )?(?:under|below) {x}",
)
"""What is in a folder."""

OUTLINE = (
    r"(?:what|which|how many) {async}{listed} (?:of|in|on|inside|from) {x} (?:are|is) (?:async(?:hronous)?|coroutines)",
    r"(?:what|which|how many) {async}{listed} (?:does|do) {x} (?:have|define|declare|contain|provide|hold|export)",
    r"how many {async}{listed} (?:(?:are|is) )?(?:(?:there|defined) )*(?:of|in|on|inside) {x}",
    r"(?:does|do) {x} (?:have|define|declare|contain|provide|expose) (?:(?:any|some|other|more) )?(?!tests){listed}",
    r"(?:what|which)(?: (?:\w+ )?{noun}| things| definitions| stuff| all)*(?: (?:and|or) {noun})?"
    r"(?:'s| is| are| does| do| can i find| lives?| exist| there)*"
    r"(?: (?:there|defined|contained|declared|implemented|located|found))* (?:inside of|inside|in|within) {x}"
    r"(?: (?:contain|define|have|hold))?",
    r"(?:what|which)(?: {noun})?(?: (?:and|or) {noun})? (?:does|do) "
    r"(?P<x>(?:the (?:file|module|folder|directory|package|class) )?\S+|it|(?:this|that) \w+"
    r"|the \S+ (?:class|module|file|package)) "
    r"(?:contain|define|declare|have|hold|include|export|offer|provide|consist of)",
    r"{give}(?:outline|structure|contents?|table of contents|overview|summary of the (?:file|module)|members|methods"
    r"|functions|classes|definitions|symbols|scopes|api|interface)(?: (?:and|or) {noun})? "
    r"(?:of|in|for|inside|from|defined in|that are in) {x}",
    r"(?:list|show|give|name|enumerate) (?:me )?(?:all )?(?:of )?(?:the )?{async}{listed}"
    r"(?: (?:and|or) (?:the )?{listed})? (?:(?:(?:that|which) are )?(?:defined|declared|contained) )?"
    r"(?:of|in|inside|from|for) {x}",
    r"{give}{its} {listed}",
    r"outline (?:of )?{x}",
)
"""What is in a file, a folder or a definition."""

# What no definition stands for the code of what has it shows.
FIELDS = (
    r"(?:what|which)(?: enum)? {fields} (?:does|do) {x} (?:have|define|declare|contain|hold)",
    r"{give}(?:enum )?{fields} (?:of|in|on) {x}",
)
