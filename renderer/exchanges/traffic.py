"""All a page asks for, where it is recorded or replayed."""

from __future__ import annotations

from ..protocol import ProtocolSession
from ..snapshot import Warn
from .archive import Archive
from .child_frames import ChildFrames, Guard
from .exchange import Exchange
from .recorder import Recorder
from .replay import Replay

__all__ = ["Traffic"]


class Traffic:
    """The recorder and the replay of one page, of which there may be one, both or none.

    Parameters
    ----------
    archive
        What requests are answered from; None for the network.
    recorded
        List to record into; None to record nothing.
    main_frame, limit, patience
        As a `Recorder` takes them.
    """

    def __init__(
        self,
        archive: Archive | None,
        recorded: list[Exchange] | None,
        main_frame: str,
        limit: int,
        patience: float,
    ) -> None:
        self.recorder: Recorder | None = None
        self.replay: Replay | None = None
        if recorded is not None:
            self.recorder = Recorder(recorded, main_frame, limit, patience)
        if archive is not None:
            self.replay = Replay(archive, self.recorder)
        self._frames: ChildFrames | None = None

    async def open(self, session: ProtocolSession, guard: Guard) -> None:
        """Have frames of other processes guarded too, if anything is recorded or replayed."""
        if self.recorder:
            self.recorder.watch(session)
        if self.recorder or self.replay:
            self._frames = ChildFrames(session, guard)
            await self._frames.attach()

    def warnings(self) -> list[Warn]:
        """What could not be recorded, and what the archive lacks."""
        of_recorder = self.recorder.warnings() if self.recorder else []
        return of_recorder + (self.replay.warnings() if self.replay else [])

    def close(self) -> None:
        """Hand over what was recorded."""
        if self.recorder:
            self.recorder.close()
        if self._frames:
            self._frames.close()
