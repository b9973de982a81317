printf "parplan: 1\nframework: {torchtitan: v0.2.0}\nparallelism: {tp: 2}\n" | parplan check - | sed "s/([0-9]* rules/(N rules/"
