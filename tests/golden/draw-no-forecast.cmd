parplan draw plans/ddp-8.yaml --set cluster.gpu= --figure breakdown
