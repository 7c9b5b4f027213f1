# A site's own Python: one that has all its packages beside it.
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
RUN apt-get -qq update \
 && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends python3-venv
COPY wheels /wheels
RUN printf '[global]\nno-index = true\nfind-links = /wheels\n' >/etc/pip.conf
