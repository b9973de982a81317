# Optimizers that step inside the backward pass stop with pp from f504a14a6 (2025-01-16) and with ep from 01f4e5022 (2025-07-08) on.
job() { printf 'parplan: 1\nframework: {torchtitan: %s}\nworld: 8\nmodel: %s\nparallelism: {dp_shard: -1, %s}\ntraining: {seq_len: 4096, local_batch_size: 2, optimizer: {in_backward: true}}\n' "$1" "$2" "$3"; }
said() { job "$@" | parplan check - | grep -E 'Optimizers|no findings'; }
said 2025-01-15 llama3-8b 'pp: 2'
said v0.1.0 llama3-8b 'pp: 2'
said v0.2.2 llama3-8b 'pp: 2'
said v0.2.2 deepseek_v3-16b 'ep: 2'
said v0.2.2 llama3-8b 'tp: 2'
