"""Serve the newspapers for a person with a browser or for a demonstration."""

import argparse
import contextlib

from newsroom import NewsSite
from newsroom.routes import addresses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    with NewsSite(port=parser.parse_args().port) as site, contextlib.suppress(KeyboardInterrupt):
        for kind, path in addresses():
            print(f"{kind:24}{site.url(path)}")
        print(f"\nOther origin: {site.other_origin}\nCtrl-C stops the site.", flush=True)
        site.stop.wait()


if __name__ == "__main__":
    main()
