parplan check -- python -m torchtitan.train --module lama3 --config llama3_8b; parplan check -- python -m torchtitan.train --module mine --config mine_8b
