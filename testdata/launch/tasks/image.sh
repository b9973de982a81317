#!/bin/sh
# The name of an image is no launcher.
IMAGE=deepspeed
docker build -t ${IMAGE} -f Dockerfile .
enroot import -o ${IMAGE}.sqsh dockerd://${IMAGE}:latest
