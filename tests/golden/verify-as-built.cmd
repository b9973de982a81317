parplan verify --framework torchtitan@d7cabfb6c plans/hsdp-2x8.yaml testdata/evidence/collapsed 2>/dev/null
