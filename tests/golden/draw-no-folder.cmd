parplan draw plans/hsdp-2x8.yaml -o /nonexistent/x.svg
