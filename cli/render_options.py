"""The rendering options, shared by all commands that render."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import typer

from ..renderer.network.blocking import Entries, HostList
from ..renderer.network.policy import EgressPolicy, PrivateAccess
from ..renderer.option_kinds import COOKIES, FLAG, SCROLL, VIEWPORT, compiled_scope
from ..renderer.options import (
    MAX_SECONDS,
    OPTIONS,
    Limits,
    Option,
    RenderOptions,
    actions,
)
from .choice_options import choice, existing_file, option
from .console import counted, print_note, set_quiet

T = TypeVar("T")

SETTINGS = Path("miolo.toml")  # the settings file that is read by default, if it exists


def convert_option(read: Callable[..., T], *values: Any) -> T:
    """Convert a value with a library function; a `ValueError` becomes `typer.BadParameter`."""
    try:
        return read(*values)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def check_selector(value: str | None) -> str | None:
    """Reject a text that is neither a CSS selector nor an XPath."""
    if value is not None:
        convert_option(compiled_scope, value)
    return value


def _allow(value: list[str] | None) -> list[str] | None:
    convert_option(lambda: EgressPolicy(allowed=tuple(value or ())))
    return value


def block_entries(value: list[str] | None) -> Entries | None:
    """The entries of `--block`, whose values may each hold several separated by commas."""
    return _read_option(OPTIONS["block"], value) if value else None


def report_unused(entries: Entries | None) -> None:
    """Report the lines of lists that are no rules for whole hosts."""
    for each in entries or ():
        if isinstance(each, HostList) and each.unused:
            print_note(
                f"{each.source}: {counted(len(each.hosts), 'host')}; "
                f"{counted(each.unused, 'line')} without a rule for a whole host not used"
            )


def _show_log(is_requested: bool) -> bool:
    if is_requested:
        import logging

        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        logger = logging.getLogger("miolo")
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
    return is_requested


def _info(each: Option, default: Any) -> Any:
    """How an option is given on the command line."""
    kind, flag, help = each.kind, f"--{each.flag}", each.help
    if kind.choices:
        return choice(default, kind.choices, help, flag)
    if kind is FLAG:
        return option(default, help, f"{flag}/--no-{each.flag}")
    if kind.form is Path:
        return existing_file(help, flag)
    if kind.form not in (str, float):
        help += " Repeatable."
    return option(default, help, flag, metavar=kind.placeholder or None)


QUIET = option(False, "Print only errors on standard error.", "--quiet", "-q", callback=set_quiet)
ALLOWED = option(
    None,
    "Private host, host:port or network that pages may reach. Repeatable.",
    "--allow",
    metavar="HOST",
    callback=_allow,
)
BLOCK = _info(OPTIONS["block"], None)
ALLOW_PRIVATE = option(False, "Let pages reach any address.", "--allow-private")

# The user typed the address of the page, so it may be private unless that is refused.
ACCESS: dict[bool | None, PrivateAccess] = {None: "named", True: "always", False: "never"}


def render_options(
    ctx: typer.Context,
    settings: Path | None = existing_file(
        "Settings file to use instead of miolo.toml in the current folder."
    ),
    no_settings: bool = option(False, "Ignore miolo.toml in the current folder.", "--no-settings"),
    deadline: float = option(
        Limits.seconds, "Time limit of a page in seconds.", min=1, max=MAX_SECONDS
    ),
    allow: list[str] | None = ALLOWED,
    private: bool | None = option(
        None,
        "Let pages reach any address, or no private address. "
        "By default, only a page that you request at a private address may reach private ones.",
        "--allow-private/--no-private",
    ),
    quiet: bool = QUIET,
    debug: bool = option(False, "Show stack traces.", "--debug"),
    verbose: bool = option(
        False, "Show the log on standard error.", "--verbose", callback=_show_log
    ),
    **values: Any,
) -> RenderOptions:
    """Build the rendering options.

    Options on the command line take precedence over the settings of a host, these over the
    settings of all pages, and these over the defaults.
    """
    base = _settings(settings, no_settings)
    given = {
        name: _read_option(OPTIONS[name], value)
        for name, value in values.items()
        if _is_given(ctx, name)
    }
    report_unused(given.get("block", base.block))
    limits = base.limits
    if _is_given(ctx, "deadline"):
        limits = replace(limits, seconds=deadline)
    hosts = {
        host: {name: value for name, value in own.items() if name not in given}
        for host, own in base.hosts.items()
    }
    if given.get("browser") == "never":
        _check_actions(hosts)
    egress = EgressPolicy(ACCESS[private], tuple(allow or ()))
    return convert_option(lambda: replace(base, **given, limits=limits, hosts=hosts, egress=egress))


def _read_option(each: Option, value: Any) -> Any:
    """The value of a field of `RenderOptions` from that of its option."""
    try:
        read = each.kind.read(value, Path())
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=f"--{each.flag}") from None
    if each.kind is COOKIES:
        _report_expired(value, read)
    return read


def _parameter(each: Option) -> inspect.Parameter:
    """The parameter of a command that sets a rendering option."""
    kind, form, default = each.kind, each.kind.form, each.default
    if kind is VIEWPORT:
        default = "x".join(map(str, default))
    elif kind is SCROLL:
        default = str(default)
    elif not default and kind is not FLAG:
        form, default = form | None, None
    by_name, info = inspect.Parameter.KEYWORD_ONLY, _info(each, default)
    return inspect.Parameter(each.name, by_name, default=info, annotation=form)


def _signature() -> inspect.Signature:
    """That of `render_options`, with a parameter for each rendering option."""
    own = inspect.signature(render_options, eval_str=True).parameters.values()
    first, *rest = (each for each in own if each.kind is not inspect.Parameter.VAR_KEYWORD)
    return inspect.Signature(
        [
            first,
            *map(_parameter, OPTIONS.values()),
            *(each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in rest),
        ]
    )


def _check_actions(hosts: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse settings of a host that need a browser."""
    for host, own in hosts.items():
        for name in actions(own):
            raise typer.BadParameter(
                f"--browser never contradicts {OPTIONS[name].key} in the settings of {host}, which "
                "needs a browser"
            )


def _report_expired(file: Path, cookies: Sequence[Mapping[str, Any]]) -> None:
    """Report a file without cookies that are still valid."""
    now = time.time()
    if all(0 < cookie.get("expires", -1) < now for cookie in cookies):
        print_note(f"{file} has no cookies that are still valid")


def _settings(file: Path | None, refused: bool) -> RenderOptions:
    """The options of a settings file; using the default file is reported."""
    if file is None and (refused or not SETTINGS.is_file()):
        return RenderOptions()
    from ..renderer.settings import load_settings

    if file is None:
        print_note(f"using the settings in {SETTINGS}")
    return load_settings(file or SETTINGS)


def _is_given(ctx: typer.Context, name: str) -> bool:
    """Whether an option was given on the command line."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


# A parameter for each option in place of those by name.
render_options.__dict__["__signature__"] = _signature()
