printf "parplan: 1\nframework: {torchtitan: v0.2.0}\nparallelism: {tp: 2}\n" | parplan check -
