f=$(mktemp) && printf 'a0[1-5] slots=8\n' >$f && parplan search --hosts $f --lost a02 --top 1 --fix pp=1 --fix cp=1 plans/hsdp-on-hosts.yaml; rm $f
