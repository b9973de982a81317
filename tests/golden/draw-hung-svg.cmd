parplan draw mesh --format svg testdata/logs/hang.log | grep -c "alerting\|class=\"notice"
