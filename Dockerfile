FROM python:3.12.11-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/fairdeal
WORKDIR /src
COPY requirements-full.lock ./
RUN /opt/fairdeal/bin/python -m pip install --no-compile --require-hashes --requirement requirements-full.lock
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY fairdeal fairdeal
COPY validator validator
COPY cli cli
COPY rules_data rules_data
COPY schemas schemas
RUN /opt/fairdeal/bin/python -m pip install --no-compile --no-deps . \
 && /opt/fairdeal/bin/python -m pip uninstall --yes pip

FROM python:3.12.11-slim-bookworm
# What is judged is mounted at /work; nothing else is written to, so the container may be read-only.
COPY --from=build /opt/fairdeal /opt/fairdeal
ENV PATH=/opt/fairdeal/bin:$PATH PYTHONDONTWRITEBYTECODE=1 FAIRDEAL_CACHE=off
USER 10001:10001
WORKDIR /work
ENTRYPOINT ["fairdeal"]
CMD ["--help"]
