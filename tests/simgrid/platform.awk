# A platform of SimGrid: nodes of devices behind a switch that blocks nobody, an adapter per device.
#   awk -v ranks=16 -v nodes=2 -v link=450 -v nic=50 -v hop=0.6 -v net_hop=7 -f platform.awk
# link, nic: GB/s of a device's links and of an adapter, one direction; hop, net_hop: us.
function up(name, rate, lag, i)
{
	for (i = 0; i < ranks; i++) {
		printf "<link id=\"%s_out%d\" bandwidth=\"%.0fBps\" latency=\"%.9fs\"/>\n", name, i, rate * 1e9, lag * 1e-6
		printf "<link id=\"%s_in%d\" bandwidth=\"%.0fBps\" latency=\"0s\"/>\n", name, i, rate * 1e9
	}
}

BEGIN {
	local = ranks / nodes
	print "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
	print "<platform version=\"4.1\">\n<zone id=\"world\" routing=\"Full\">"
	for (i = 0; i < ranks; i++)
		printf "<host id=\"gpu%d\" speed=\"1Gf\"/>\n", i
	up("link", link, hop)
	up("nic", nic, net_hop)
	for (i = 0; i < ranks; i++)
		for (j = 0; j < ranks; j++) {
			if (i == j)
				continue
			way = int(i / local) == int(j / local) ? "link" : "nic"
			printf "<route src=\"gpu%d\" dst=\"gpu%d\" symmetrical=\"NO\"><link_ctn id=\"%s_out%d\"/><link_ctn id=\"%s_in%d\"/></route>\n",
				i, j, way, i, way, j
		}
	print "</zone>\n</platform>"
}
