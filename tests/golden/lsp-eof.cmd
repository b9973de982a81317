parplan lsp </dev/null
