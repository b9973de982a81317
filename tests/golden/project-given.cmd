cd plans && parplan plan --config ../testdata/project/.parplan.yaml mistake-degrees.yaml | head -n 3
