parplan check --end-of-options plans/ddp-8.yaml --write-baseline=z.yaml
folder=$(mktemp -d) && cp plans/mistake-degrees.yaml "$folder/bad.yaml" && cd "$folder" || exit
: >--write-baseline=z.yaml
parplan check *.yaml
echo "exit status $?"
parplan check --quiet --end-of-options *.yaml | grep -c error:
ls
rm -r "$folder"
