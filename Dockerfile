# tabwright with Chromium and a virtual display, run by a user without privileges.
#
#   docker build -t tabwright .
#   docker run -i --rm --init --shm-size=1g --security-opt seccomp=unconfined tabwright
#
# This is an MCP server on stdio; with arguments, such as `browse URL`, it is that command.
# --shm-size: Chromium keeps pages in /dev/shm, which has 64 MB by default.
# --security-opt: Chromium's sandbox needs user namespaces, which Docker's default profile forbids.
FROM python:3.13-slim-bookworm AS wheel
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY tabwright ./tabwright
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim-bookworm
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
        chromium fonts-liberation fonts-noto-cjk fonts-noto-color-emoji xvfb x11vnc \
 && rm -rf /var/lib/apt/lists/*
COPY constraints.txt /tmp/
RUN --mount=type=bind,from=wheel,source=/wheels,target=/wheels \
    pip install --no-cache-dir --constraint /tmp/constraints.txt "$(echo /wheels/*.whl)[fleet,otel]"
COPY docker/entrypoint.sh /usr/local/bin/tabwright-entrypoint
RUN useradd --create-home --uid 1000 tabwright
USER tabwright
WORKDIR /home/tabwright
# Made here, or Docker would make them for root when it mounts the volume.
RUN mkdir -p .local/share .local/state
ENV DISPLAY=:99
# A command in a container of its own leaves no process for the next one.
ENV TABWRIGHT_DAEMON__AUTOSTART=false
# Profiles, saved sessions and downloads; mount it to keep them.
VOLUME /home/tabwright/.local/share
# The screen for CAPTCHAs, if VNC_PASSWORD is set.
EXPOSE 5900
ENTRYPOINT ["tabwright-entrypoint"]
CMD ["serve"]
