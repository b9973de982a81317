# The programs that have a framework write what its own Python makes, and one that has none.
for name in torchtitan megatron-bridge nemo accelerate; do
	echo "== $name"
	parplan explain --dump $name
done 2>&1
