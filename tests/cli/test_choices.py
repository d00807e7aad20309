"""Options whose values are names from a list suggest the closest name for any other value."""

import inspect
from importlib import import_module

import pytest
from miolo.cli.app import COMMANDS, app
from typer.testing import CliRunner

runner = CliRunner()


def choices():
    """Command, flag and names of every option whose value is one of some names."""
    for command, (module, _) in COMMANDS.items():
        function = getattr(import_module(f"miolo.cli.{module}"), command)
        for parameter in inspect.signature(function).parameters.values():
            option = parameter.default
            if getattr(option, "autocompletion", None):
                flag = f"--{parameter.name.replace('_', '-')}"
                yield command, (option.param_decls or [flag])[0], option.autocompletion()


@pytest.mark.parametrize(("command", "flag", "names"), list(choices()))
def test_every_choice_suggests_the_closest_name(command, flag, names):
    done = runner.invoke(app, [command, flag, f"{names[-1].upper()}-"])
    assert done.exit_code == 2
    assert f"there is no choice '{names[-1].upper()}-'" in " ".join(done.stderr.split())
    assert f"did you mean '{names[-1]}'?" in " ".join(done.stderr.split())
    done = runner.invoke(app, [command, flag, "?"])
    assert f"the choices are {', '.join(names)}" in " ".join(done.stderr.split())


def test_the_shell_completes_the_choices(run):
    words = {"COMP_WORDS": "miolo links --reach ", "COMP_CWORD": "3"}
    done = run(_MIOLO_COMPLETE="complete_bash", **words)
    assert done.stdout.decode().split() == ["any", "site", "host", "path"]
