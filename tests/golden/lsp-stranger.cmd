printf "hello\r\n\r\n" | parplan lsp
