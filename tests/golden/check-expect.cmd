sed -e 's/dp_replicate: 4/dp_replicate: 2/' -e 's/framework:.*/framework: {torchtitan: v0.2.0}/' plans/expectations.yaml | parplan check - --expect stages=2
