"""Validated JSON of requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
    model_validator,
)

from ..extract.methods.registry import DEFAULT_METHOD
from ..extract.options import ExtractOptions
from ..models.article.roles import DEFAULT_PRESET, ROLES
from ..names import check_names
from ..output.write_options import MIN_CHUNK_CHARS, WriteOptions
from ..renderer import option_kinds as kinds
from ..renderer.network.blocking import read_block
from ..renderer.network.origins import plain_origin
from ..renderer.network.written_addresses import whole_address
from ..renderer.options import OPTIONS, RenderOptions, actions
from .drafts import MAX_DRAFT_CHARS, MAX_KEY_CHARS

MAX_URL = 8192

SENTENCE = "The tide comes in twice a day, and the town has built its hours, roads and trade on it."

EXAMPLE = f"<title>Tides</title><h1>Tides</h1><p>{SENTENCE}</p>"


def _address(text: str) -> str:
    url = whole_address(text)
    if not url.lower().startswith(("http://", "https://")):
        raise ValueError("must be an address such as https://example.org/story")
    if plain_origin(url) is None:
        raise ValueError("is not a valid address")
    return url


def _described(message: str) -> WrapValidator:
    """A validator with one message for a value as a whole, and none for its parts."""

    def check(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
        try:
            return validate(value)
        except ValidationError:
            raise ValueError(message) from None

    return WrapValidator(check)


Url = Annotated[str, Field(max_length=MAX_URL), AfterValidator(_address)]
Selector = Annotated[str, Field(min_length=1, max_length=1000)]
Selectors = Annotated[
    list[Selector],
    Field(max_length=20),
    BeforeValidator(lambda given: [given] if isinstance(given, str) else given),
]
Block = Annotated[str, Field(min_length=1, max_length=260)]
Side = Annotated[int, Field(ge=kinds.SIDES[0], le=kinds.SIDES[1])]
Screens = Annotated[int, Field(ge=0, le=100)]
Method = Role = Name = Annotated[str, Field(max_length=60)]
Roles = Annotated[list[Role], Field(max_length=len(ROLES))]


class StrictModel(BaseModel):
    """A JSON object that may have no other fields."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_known_fields(cls, data: Any) -> Any:
        if isinstance(data, dict):
            check_names("field", data, cls.model_fields)
        return data


JSON_TYPES: Mapping[kinds.Kind, Any] = {
    kinds.FLAG: bool,
    kinds.SECONDS: Annotated[float, Field(ge=0, allow_inf_nan=False)],
    kinds.VIEWPORT: Annotated[tuple[Side, Side], _described(kinds.WINDOW)],
    kinds.SCROLL: Annotated[
        Screens | Literal["end"], _described("must be a number of screens from 0 to 100, or end")
    ],
    kinds.BLOCK: Annotated[
        list[Block],
        Field(max_length=100),
        AfterValidator(lambda entries: read_block(entries, files=False)),
    ],
    **{
        kind: Annotated[form, AfterValidator(kind.convert)]
        for kind, form in (
            (kinds.LANGUAGE, Name), (kinds.DEVICE, Name), (kinds.TIMEZONE, Name),
            (kinds.SELECTOR, Selector), (kinds.SELECTORS, Selectors), (kinds.SCOPE, Selectors),
        )
    },
}  # fmt: skip
"""Types of the values of rendering options in requests, with the limits of the service."""


def _rendering_fields() -> dict[str, Any]:
    """A field for each rendering option that requests may set."""
    fields: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        if option.in_requests:
            choices = option.kind.choices
            values: Any = Literal[*choices] if choices else JSON_TYPES[option.kind]
            is_list = option.kind in (kinds.SELECTORS, kinds.SCOPE)
            default = list(option.default) if is_list else option.default
            values = values | None if default is None else values
            fields[name] = values, Field(default, description=option.help)
    return fields


RenderingRequest = create_model(
    "RenderingRequest",
    __base__=StrictModel,
    __doc__="How a page is rendered.",
    **_rendering_fields(),
)


class PageRequest(RenderingRequest):
    """A page, by its address or as HTML, and how it is rendered."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"url": "https://example.org/story"}, {"html": EXAMPLE}]},
    )

    url: Url | None = Field(None, description="URL of the page, or the URL to assume for html.")
    html: str | None = Field(None, description="HTML of the page; nothing is fetched for it.")
    deadline: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="Time limit in seconds, including queueing."
    )
    screenshot: bool = Field(False, description="Whether a snapshot includes the screenshot.")

    @model_validator(mode="after")
    def _has_page(self) -> Self:
        if self.url is None and self.html is None:
            raise ValueError("url or html is required")
        return self

    @property
    def extract(self) -> tuple[ExtractOptions, ...]:
        """How the text is extracted, once or several times; empty if it is not."""
        return ()

    def options(self, base: RenderOptions) -> RenderOptions:
        """The service's rendering options, updated with those of the request."""
        given = {name: getattr(self, name) for name in self.model_fields_set if name in OPTIONS}
        values = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items()
            if value is not None
        }
        return replace(base, **values, screenshot=self.screenshot)


class TextRequest(PageRequest):
    """A page, and which roles count as its text."""

    preset: Role = Field(
        DEFAULT_PRESET, description="Roles that count as the text: article, body or everything."
    )
    include: Roles = Field(default=[], description="Single roles to add, such as caption.")
    exclude: Roles = Field(default=[], description="Single roles to remove.")

    def extract_by(self, method: str) -> ExtractOptions:
        """How the text is extracted by a method."""
        return ExtractOptions(method, self.preset, self.include, self.exclude)


class MethodRequest(TextRequest):
    """A page, and how its text is extracted."""

    method: Method = Field(
        DEFAULT_METHOD,
        description="A name from GET /methods; one that needs a site, if the service has sites.",
    )

    @property
    def extract(self) -> tuple[ExtractOptions, ...]:
        """How the text is extracted; see `extract_by`."""
        return (self.extract_by(self.method),)


class ExtractRequest(MethodRequest):
    """A page, and how its article is extracted and written."""

    browser: Literal["always", "auto", "never"] = Field(
        "always", description="Whether the page is rendered; auto renders it only if necessary."
    )
    format: Literal["json", "text", "markdown", "html", "csv", "tei", "chunks"] = Field(
        "json", description="Format of the answer."
    )
    links: bool = Field(True, description="Whether links are written, or only their text.")
    images: bool = Field(True, description="Whether images are written.")
    front_matter: bool = Field(False, description="Whether Markdown starts with YAML metadata.")
    wrap: int = Field(
        0, ge=0, le=10_000, description="Maximum characters per line of Markdown; 0 for no limit."
    )
    chunk_size: int = Field(
        WriteOptions.chunk_size,
        ge=MIN_CHUNK_CHARS,
        le=10**6,
        description="Maximum characters per chunk.",
    )
    chunk_overlap: int = Field(
        0,
        ge=0,
        le=10**6,
        description="Maximum characters repeated from the previous chunk, at most half of one.",
    )

    @model_validator(mode="after")
    def _can_be_written(self) -> Self:
        self.writing  # noqa: B018
        if self.screenshot and self.browser != "always":
            raise ValueError("screenshot needs browser 'always'")
        if self.browser != "always" and (acting := sorted(actions(self.__dict__))):
            raise ValueError(f"{acting[0]} needs browser 'always'")
        return self

    def options(self, base: RenderOptions) -> RenderOptions:
        """The rendering options, including the use of a browser."""
        return replace(super().options(base), browser=self.browser)

    @property
    def writing(self) -> WriteOptions:
        """How the article is written."""
        names = WriteOptions.__dataclass_fields__.keys() & self.model_fields_set
        return WriteOptions(**{name: getattr(self, name) for name in names})


class InspectRequest(TextRequest):
    """A page, and the methods to inspect it with."""

    methods: list[Method] = Field(
        default=[DEFAULT_METHOD],
        min_length=1,
        max_length=2,
        description="One method, or two to compare.",
    )

    @property
    def extract(self) -> tuple[ExtractOptions, ...]:
        """How the text is extracted by each of the methods; see `extract_by`."""
        return tuple(map(self.extract_by, self.methods))


class DraftRequest(StrictModel):
    """The corrections that a user of the web page made on a page."""

    key: str = Field(min_length=1, max_length=MAX_KEY_CHARS, description="Key of the page.")
    text: str = Field(
        max_length=MAX_DRAFT_CHARS, description="State of the web page, as its own JSON."
    )
