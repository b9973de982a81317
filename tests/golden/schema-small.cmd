parplan schema picotron | tr "," "\n" | head -40
