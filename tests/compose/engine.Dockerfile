# What `docker:dind` does for compose.yaml, from Debian's packages: for machines that reach no image registry.
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
RUN apt-get -qq update \
 && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends ca-certificates docker.io iptables openssl
COPY engine-start /usr/local/bin/engine-start
VOLUME /var/lib/docker
ENTRYPOINT ["engine-start"]
