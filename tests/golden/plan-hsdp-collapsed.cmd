parplan plan --framework torchtitan@d7cabfb6c plans/hsdp-2x8.yaml
