parplan report plans/hsdp-2x8.yaml -o - | grep -oE '<(h[1-4]|caption|figcaption|dt|nav|main|footer|input|output)\b[^>]*>[^<]*'
