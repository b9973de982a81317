parplan report plans/mistake-degrees.yaml -o - | sed 's/<section/\n&/g; s/<h4/\n&/g' | sed -n '/^<section class="part" aria-labelledby="f1-findings"/,/<h4>Data parallel/p'
