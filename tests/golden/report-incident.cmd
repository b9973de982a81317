parplan report testdata/logs/hang.log -o - | sed -n "s/<[^>]*>/ /g; s/  */ /g; /rank 5/p" | head -n 3
