printf 'parplan: 1\nmodel: llama3-8b\n' | parplan guard -
