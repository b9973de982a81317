parplan check -q --fail-on never --write-baseline - plans/mistake-degrees.yaml plans/ddp-8.yaml | head -n 4
