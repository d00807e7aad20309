"""A source of an archive that is held in memory."""

from collections.abc import Iterable

from miolo.renderer.network.exchange import Entry, Exchange


class MemorySource:
    """A source of exchanges that are held in memory."""

    def __init__(self, exchanges: Iterable[Exchange], pages: Iterable[str] = ()) -> None:
        self._exchanges = list(exchanges)
        self._pages = list(pages)

    def entries(self) -> Iterable[Entry]:
        """All entries, in order."""
        return (Entry(place, exchange) for place, exchange in enumerate(self._exchanges))

    def read(self, place: int) -> Exchange:
        """The exchange at a place."""
        return self._exchanges[place]

    def pages(self) -> Iterable[str]:
        """URLs of pages, if they are known."""
        return self._pages

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
