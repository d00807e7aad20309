"""The rendering options, shared by all commands that render."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from ..renderer.network.blocking import Entries, HostList, read_block
from ..renderer.network.policy import EgressPolicy, PrivateAccess
from ..renderer.option_checks import check_headers, check_selectors
from ..renderer.options import ACTIONS, MAX_SECONDS, RenderOptions
from .choices import choice

__all__ = [
    "AllowPrivate",
    "Allowed",
    "Block",
    "BrowserChoice",
    "Quiet",
    "block_entries",
    "check_selector",
    "render_options",
    "report_unused",
]

T = TypeVar("T")

SETTINGS = Path("miolo.toml")
"""The settings file that is read by default, if it exists."""


class BrowserChoice(StrEnum):
    """Values of `RenderOptions.browser`."""

    always = "always"
    auto = "auto"
    never = "never"


class WaitChoice(StrEnum):
    """Values of `RenderOptions.wait`."""

    settle = "settle"
    idle = "idle"
    load = "load"
    dom = "dom"


def convert_option(read: Callable[..., T], *values: Any) -> T:
    """Convert a value with a library function; a `ValueError` becomes `typer.BadParameter`."""
    try:
        return read(*values)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def check_selector(value: str | None) -> str | None:
    """Reject an invalid CSS selector."""
    convert_option(check_selectors, *([value] if value else []))
    return value


def _check_selectors(value: list[str] | None) -> list[str] | None:
    convert_option(check_selectors, *(value or []))
    return value


def _viewport(value: str) -> str:
    from ..renderer.settings import read_viewport

    convert_option(read_viewport, value)
    return value


def _scroll(value: str) -> str:
    from ..renderer.settings import read_scroll

    convert_option(read_scroll, value)
    return value


def _allow(value: list[str] | None) -> list[str] | None:
    convert_option(lambda: EgressPolicy(allowed=tuple(value or ())))
    return value


def block_entries(value: list[str] | None) -> Entries | None:
    """The entries of `--block`, whose values may each hold several separated by commas."""
    return read_block(",".join(value)) if value else None


def report_unused(entries: Entries | None) -> None:
    """Report the lines of lists that are no rules for whole hosts."""
    from .console import counted, print_note

    for each in entries or ():
        if isinstance(each, HostList) and each.unused:
            print_note(
                f"{each.source}: {counted(len(each.hosts), 'host')}; "
                f"{counted(each.unused, 'line')} without a rule for a whole host not used"
            )


def _block(value: list[str] | None) -> list[str] | None:
    convert_option(block_entries, value)
    return value


def _header(value: list[str] | None) -> list[str] | None:
    for line in value or ():
        name, colon, text = line.partition(":")
        if not (colon and name.strip() and text.strip()):
            raise typer.BadParameter("a header must have the form NAME: VALUE")
        convert_option(check_headers, dict([_parts(line)]))
    return value


def _show_log(is_requested: bool) -> bool:
    if is_requested:
        import logging

        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        logger = logging.getLogger("miolo")
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
    return is_requested


def _quiet(is_requested: bool) -> bool:
    if is_requested:
        from .console import set_quiet

        set_quiet()
    return is_requested


Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", callback=_quiet, help="Print only errors on standard error."),
]
Allowed = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="HOST",
        callback=_allow,
        help="Private host, host:port or network that pages may reach. Repeatable.",
    ),
]
Block = Annotated[
    list[str] | None,
    typer.Option(
        "--block",
        metavar="WHAT",
        callback=_block,
        help="What pages do not load, separated by commas: ads, trackers, images, fonts, media, a "
        "host, the path of a list of hosts, or none. Repeatable.",
    ),
]
AllowPrivate = Annotated[bool, typer.Option("--allow-private", help="Let pages reach any address.")]
Private = Annotated[
    bool | None,
    typer.Option(
        "--allow-private/--no-private",
        help="Let pages reach any address, or no private address. "
        "By default, only a page that you request at a private address may reach private ones.",
    ),
]

# The user typed the address of the page, so it may be private unless that is refused.
ACCESS: dict[bool | None, PrivateAccess] = {None: "named", True: "always", False: "never"}


def render_options(
    ctx: typer.Context,
    browser: Annotated[
        BrowserChoice,
        choice(
            BrowserChoice,
            help="Render every page (always), no page (never), or only those whose article cannot "
            "be extracted reliably without a browser (auto).",
        ),
    ] = BrowserChoice.always,
    settings: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Settings file to use instead of miolo.toml in the current folder.",
        ),
    ] = None,
    no_settings: Annotated[
        bool, typer.Option("--no-settings", help="Ignore miolo.toml in the current folder.")
    ] = False,
    viewport: Annotated[
        str, typer.Option(callback=_viewport, help="Width and height in CSS px.")
    ] = "1280x1024",
    deadline: Annotated[
        float, typer.Option(min=1, max=MAX_SECONDS, help="Time limit of a page in seconds.")
    ] = 30.0,
    no_scripts: Annotated[bool, typer.Option("--no-scripts", help="Disable scripts.")] = False,
    user_agent: Annotated[str | None, typer.Option(help="User agent of the browser.")] = None,
    locale: Annotated[str | None, typer.Option(help="Preferred language, such as pt-BR.")] = None,
    dark: Annotated[
        bool, typer.Option("--dark", help="Use the dark colour scheme for pages and pictures.")
    ] = False,
    header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HEADER",
            callback=_header,
            help="Header, as NAME: VALUE, sent only to the page's own host. Repeatable.",
        ),
    ] = None,
    cookies: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="Cookie file, in cookies.txt or JSON format."
        ),
    ] = None,
    storage_state: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Storage state saved by Playwright."),
    ] = None,
    proxy: Annotated[str | None, typer.Option(help="Proxy for all requests.")] = None,
    block: Block = None,
    wait: Annotated[
        WaitChoice,
        choice(
            WaitChoice,
            help="Wait until nothing is under way that the article may come from (settle), until "
            "no request is pending (idle), for the load event (load), or for the document (dom).",
        ),
    ] = WaitChoice.settle,
    settle_seconds: Annotated[
        float, typer.Option(min=0, help="Maximum seconds to wait for a page to settle.")
    ] = 8.0,
    no_restore: Annotated[
        bool,
        typer.Option("--no-restore", help="Keep only what the page shows at the end."),
    ] = False,
    no_expand: Annotated[
        bool,
        typer.Option("--no-expand", help="Do not click the button that unfolds a cut article."),
    ] = False,
    wait_for: Annotated[
        str | None,
        typer.Option(metavar="SELECTOR", callback=check_selector, help="Wait for an element."),
    ] = None,
    dismiss_consent: Annotated[
        bool,
        typer.Option(
            "--dismiss-consent",
            help="Refuse consent dialogs, and hide layers that still cover the text.",
        ),
    ] = False,
    click: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SELECTOR", callback=_check_selectors, help="Click an element. Repeatable."
        ),
    ] = None,
    script: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="JavaScript to run in the page."),
    ] = None,
    scroll: Annotated[
        str,
        typer.Option(
            metavar="SCREENS",
            callback=_scroll,
            help="Screens to scroll to load lazy content, or end.",
        ),
    ] = "0",
    hide: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SELECTOR", callback=_check_selectors, help="Hide elements. Repeatable."
        ),
    ] = None,
    allow: Allowed = None,
    private: Private = None,
    quiet: Quiet = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show stack traces.")] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", callback=_show_log, help="Show the log on standard error."),
    ] = False,
) -> RenderOptions:
    """Build the rendering options.

    Options on the command line take precedence over the settings of a host, these over the
    settings of all pages, and these over the defaults.
    """
    from ..renderer.network.cookies import read_storage_state
    from ..renderer.settings import read_script, read_scroll, read_viewport

    base = _settings(settings, no_settings)
    fields: dict[str, Any] = {
        "browser": ("browser", browser.value),
        "viewport": ("viewport", read_viewport(viewport)),
        "no_scripts": ("javascript", not no_scripts),
        "user_agent": ("user_agent", user_agent),
        "locale": ("locale", locale),
        "dark": ("color_scheme", "dark" if dark else "light"),
        "header": ("headers", dict(_parts(line) for line in header or ())),
        "cookies": ("cookies", _cookies(cookies) if cookies else ()),
        "storage_state": ("storage_state", storage_state and read_storage_state(storage_state)),
        "proxy": ("proxy", proxy),
        "block": ("block", block_entries(block)),
        "wait": ("wait", wait.value),
        "settle_seconds": ("settle_seconds", settle_seconds),
        "no_restore": ("restore", not no_restore),
        "no_expand": ("expand", not no_expand),
        "wait_for": ("wait_for", wait_for),
        "dismiss_consent": ("dismiss_consent", dismiss_consent),
        "click": ("click", tuple(click or ())),
        "script": ("script", convert_option(read_script, str(script)) if script else None),
        "scroll": ("scroll", read_scroll(scroll)),
        "hide": ("hide", tuple(hide or ())),
    }
    given_fields = {field: value for name, (field, value) in fields.items() if _is_given(ctx, name)}
    report_unused(given_fields.get("block", base.block))
    limits = base.limits
    if _is_given(ctx, "deadline"):
        limits = replace(limits, seconds=deadline)
    hosts = {
        host: {field: value for field, value in own.items() if field not in given_fields}
        for host, own in base.hosts.items()
    }
    if given_fields.get("browser") == "never":
        _check_actions(hosts)
    egress = EgressPolicy(ACCESS[private], tuple(allow or ()))
    return convert_option(
        lambda: replace(base, **given_fields, limits=limits, hosts=hosts, egress=egress)
    )


def _check_actions(hosts: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse settings of a host that need a browser."""
    for host, own in hosts.items():
        for name in ACTIONS:
            if own.get(name):
                key = name.replace("_", "-")
                raise typer.BadParameter(
                    f"--browser never contradicts {key} in the settings of {host}, which needs a "
                    "browser"
                )


def _cookies(file: Path) -> tuple[Mapping[str, Any], ...]:
    """The cookies of a file; a file without valid ones is reported."""
    from ..renderer.network.cookies import read_cookies
    from .console import print_note

    cookies, now = read_cookies(file), time.time()
    if all(0 < cookie.get("expires", -1) < now for cookie in cookies):
        print_note(f"{file} has no cookies that are still valid")
    return cookies


def _settings(file: Path | None, refused: bool) -> RenderOptions:
    """The options of a settings file; using the default file is reported."""
    from ..renderer.settings import load_settings
    from .console import print_note

    if file is None and (refused or not SETTINGS.is_file()):
        return RenderOptions()
    if file is None:
        print_note(f"using the settings in {SETTINGS}")
    return load_settings(file or SETTINGS)


def _is_given(ctx: typer.Context, name: str) -> bool:
    """Whether an option was given on the command line."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _parts(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()
