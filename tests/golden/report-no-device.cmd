parplan report plans/mesh-of-a-script.yaml -o - | sed 's/<section/\n&/g' | sed -n '/^<section[^>]*forecast/,/<\/section>/p'
