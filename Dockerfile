# The image of the Miolo service; see docs/service.md. docker/check.py builds and runs these same
# steps without a container engine, and supports only the instructions used in this file.

FROM debian:trixie-slim AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /opt/uv && /opt/uv/bin/pip install --no-cache-dir uv==0.13.9
ENV UV_PROJECT_ENVIRONMENT=/opt/miolo UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy
WORKDIR /src
COPY pyproject.toml uv.lock /src/
COPY research/pyproject.toml /src/research/
# Dependencies pinned in the lock file, with hashes. The next layers add the project itself.
RUN /opt/uv/bin/uv sync --locked --no-cache --no-dev --extra serve --no-install-project
COPY . /src
RUN /opt/uv/bin/uv sync --locked --no-cache --no-dev --extra serve --no-editable \
    && /opt/miolo/bin/python -m compileall -q /opt/miolo/lib

FROM debian:trixie-slim
# The browser, with fonts for Latin, Greek, Cyrillic, Arabic, Hebrew and the scripts of India
# (core), for Chinese, Japanese and Korean (cjk), and for emoji.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates chromium-headless-shell \
        fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji python3 tini \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /tmp --shell /usr/sbin/nologin miolo
COPY --from=build /opt/miolo /opt/miolo
# The root file system is read-only. All files are written to /tmp and lost with the container.
ENV PATH=/opt/miolo/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/tmp \
    XDG_CACHE_HOME=/tmp/cache \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    LANG=C.UTF-8
WORKDIR /tmp
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
ENTRYPOINT ["tini", "--", "miolo", "serve", "--host", "0.0.0.0", "--token-file", "/run/secrets/miolo_token", "--log-json"]
CMD []
