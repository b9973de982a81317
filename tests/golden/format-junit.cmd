parplan check --format junit plans/mistake-degrees.yaml | grep -v ' time="0"/>$' | sed 's/tests="[0-9]*"/tests="N"/'
