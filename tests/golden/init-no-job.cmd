parplan init testdata/launch/tasks/evaluate.sh
