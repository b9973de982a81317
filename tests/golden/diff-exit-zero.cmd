parplan diff --exit-zero plans/fsdp-8.yaml plans/ddp-8.yaml >/dev/null
