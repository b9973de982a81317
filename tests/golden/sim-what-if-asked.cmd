# Options that change the config forecast what is asked beside what is applied, as --set does: alone, and for each column of a table.
d=$(mktemp -d); sed '/^cluster:/s/gpu: h100-sxm, //' plans/incidents/hsdp-collapse.yaml >$d/c.yaml
parplan sim --gpu h100-sxm $d/c.yaml | sed -n '/^What is/,$p' >$d/a; parplan sim --set cluster.gpu=h100-sxm $d/c.yaml | sed -n '/^What is/,$p' >$d/b; cmp $d/a $d/b && cat $d/a; rm -r $d
parplan sim --gpu h200 --straggler 3:1.2x plans/incidents/hsdp-collapse.yaml | sed -n '/^[AB]: /,$p'
parplan sim --gpu h200 --format json plans/incidents/hsdp-collapse.yaml | python3 -c 'import json, sys; s = json.load(sys.stdin); w = s["what_if"]["forecast"]; print(s["plan"], s["asked"]["step_time_s"], w["plan"], w["asked"]["step_time_s"])'
