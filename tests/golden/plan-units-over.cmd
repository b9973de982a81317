# A number of ranks: until backward a unit stays cut over so many.
config='parplan: 1\nframework: {torch: 2.9.0}\nworld: 8\nmodel: llama3-8b\nparallelism: {dp_shard: 8, reshard_after_forward: 4}\n'
printf "$config" | parplan plan - | sed -n '/^Units/,/^$/p'
printf "$config" | parplan plan --format json - | jq -c '.units[0]'
printf "$config" | parplan plan --format json --set framework.torch=2.7.1 - | jq -c '.units[] | select(.name == "(root)")'
