"""Metrics in the text format of Prometheus."""

from __future__ import annotations

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from ..workers.pool import Pool

BUCKETS = (0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120)


class Metrics:
    """The metrics of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        counter = partial(Counter, registry=self._registry)
        labels = ("route", "status", "kind")
        self.requests = counter("miolo_requests", "Requests that were answered.", labels)
        self.seconds = Histogram(
            "miolo_request_seconds",
            "Seconds from a request's arrival to its answer.",
            ("route",),
            buckets=BUCKETS,
            registry=self._registry,
        )
        self.refused = counter("miolo_refused", "Requests refused because the service was busy.")
        about = "Workers that crashed, or were killed because of a page."
        self.deaths = counter("miolo_worker_deaths", about)

    def watch(self, pool: Pool) -> None:
        """Add gauges for a pool."""
        for name, about, value in (
            ("miolo_queue_length", "Requests waiting for a worker.", lambda: pool.queue_length),
            ("miolo_workers_busy", "Workers that are processing a page.", lambda: pool.busy),
            ("miolo_workers_ready", "Workers that are ready or busy.", lambda: pool.ready),
        ):
            Gauge(name, about, registry=self._registry).set_function(value)

    def to_text(self) -> bytes:
        """The metrics in Prometheus' text format."""
        return generate_latest(self._registry)
