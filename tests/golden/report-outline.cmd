parplan report plans/hsdp-2x8.yaml -o - | grep -oE '<(h[1-4]|caption|dt|nav|main|input|output)\b[^>]*>[^<]*'
