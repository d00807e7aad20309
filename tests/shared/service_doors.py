"""The service without a browser: its routes over a pool of no workers."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx2
from miolo.serve.admission import Admission
from miolo.serve.dispatcher import Dispatcher, service_pool
from miolo.serve.drafts import Drafts
from miolo.serve.metrics import Metrics
from miolo.serve.routes import build_app
from miolo.serve.service_options import ServiceOptions

TOKEN = "a-token-of-enough-letters"
LOCAL = ServiceOptions(sandbox=False, deadline=0.3)
GUARDED = replace(LOCAL, host="0.0.0.0", token=TOKEN)
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@asynccontextmanager
async def door(options: ServiceOptions):
    """A client of a service without workers, its admission and its metrics."""
    metrics = Metrics()
    pool = service_pool(options)
    admission = Admission(options, pool, metrics)
    app = build_app(options, admission, Dispatcher(options, pool), metrics, Drafts())
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
        yield client, admission, metrics
    assert pool.queue_length == 0


async def send(options: ServiceOptions, method: str, path: str, **more) -> httpx2.Response:
    async with door(options) as (client, _, _):
        return await client.request(method, path, **more)


def send_request(options: ServiceOptions, method: str, path: str, **more) -> httpx2.Response:
    return asyncio.run(send(options, method, path, **more))
