parplan slow --format json plans/hsdp-2x8.yaml testdata/evidence/slow/waiting | jq -c '[.verdict, .measured, .interval, .explained, .limits], (.causes[] | [.name, .basis, .seconds, .where]), .next'
