#!/bin/sh
# What other programs read: every format of check over clean, wrong and hostile files (tests/formats.py), and
# where reports go: --output, the job summary. Silent where there is no Python.
set -u
command -v python3 >/dev/null || exit 0
work=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
passed=0 failed=0

check() { # WHAT COMMAND...: the command must succeed
	what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "formats: $what"
	fi
}

cp plans/ddp-8.yaml "$work/clean.yaml"
cp plans/mistake-degrees.yaml "$work/wrong.yaml"
cp testdata/rules/tensor-mesh-not-innermost.yaml "$work/edits.yaml"
sums=$(python3 -B tests/formats.py "$BIN" "$work") || failed=1
echo "$sums" | sed '$d'
sums=$(echo "$sums" | tail -n 1)
passed=${sums%% *} sums=${sums#*, } failed=$((failed + ${sums%% *}))

cd "$work" || exit 2

# A report in a file is the one of stdout; nothing else is said.
for format in $(cd "$OLDPWD" && parplan check --format none "$work/clean.yaml" 2>&1 | sed 's/.*there are //; s/,//g'); do
	parplan check --format "$format" wrong.yaml >stdout
	parplan check --format "$format" wrong.yaml --output file >said 2>&1
	check "--format $format: --output differs" cmp -s stdout file
	check "--format $format: --output prints" [ ! -s said ]
	check "check --help does not name $format" sh -c "parplan check --help | grep -qw $format"
done
status() { "$@" >said 2>&1; echo $?; }
check "exit status with --output" [ "$(status parplan check wrong.yaml -o file)" = 1 ]

# Whole or not at all.
echo old >old
(trap '' XFSZ; ulimit -f 1; parplan check --format sarif many.yaml -o old) >said 2>&1
check "status when the disk is full" [ $? = 2 ]
check "the old file is gone after a full disk" [ "$(cat old)" = old ]
check "a temporary file is left" [ -z "$(find . -name '*.tmp')" ]
check "a full disk is not said" grep -q "cannot write 'old'" said
check "status of /dev/full" [ "$(status parplan check wrong.yaml -o /dev/full)" = 2 ]
check "no folder" [ "$(status parplan check wrong.yaml -o none/file)" = 2 ]
check "a checked file as output" [ "$(status parplan check wrong.yaml -o wrong.yaml)" = 2 ]
check "a checked file was overwritten" cmp -s wrong.yaml "$OLDPWD/plans/mistake-degrees.yaml"

# The job summary is appended to; the annotations do not need it.
parplan check --format github wrong.yaml >plain
parplan check --format markdown wrong.yaml >digest
echo before >summary
GITHUB_STEP_SUMMARY=summary parplan check --format github wrong.yaml >stdout 2>said
check "exit status with a summary" [ $? = 1 ]
check "annotations with a summary" cmp -s plain stdout
check "the summary" sh -c '{ echo before; cat digest; } | cmp -s - summary'
check "a summary is said" [ ! -s said ]
GITHUB_STEP_SUMMARY=none/summary parplan check --format github wrong.yaml >stdout 2>said
check "exit status without its summary" [ $? = 1 ]
check "annotations without their summary" cmp -s plain stdout
check "a summary that cannot be written is not said" grep -q "cannot append the summary to 'none/summary'" said
GITHUB_STEP_SUMMARY=none/summary parplan check --format gcc wrong.yaml >stdout 2>said
check "a summary of another format" [ ! -s said ]

# Fingerprints stay when lines move; ignored findings are shown when asked for.
prints() { parplan check --format gitlab "$1" | jq -r '.[].fingerprint'; }
prints wrong.yaml >before
cp wrong.yaml kept
{ echo '# one more line'; cat kept; } >wrong.yaml
prints wrong.yaml >after
check "fingerprints of moved lines" cmp -s before after
cp kept wrong.yaml
kinds='.runs[0].results[] | .ruleId + " " + (.suppressions[0].kind // "none")'
sed 's/tp: 16.*/tp: 16 # parplan: ignore=heads-divisibility/' kept >quiet.yaml
parplan check --format sarif --show-ignored --ignore degrees-product quiet.yaml >log
check "exit status with everything ignored" [ $? = 0 ]
check "suppressions" [ "$(jq -r "$kinds" log)" = "degrees-product external
heads-divisibility inSource" ]
check "suppressed without asking" [ "$(parplan check --format sarif --ignore degrees-product quiet.yaml |
	jq '.runs[0].results | length')" = 0 ]
parplan check --format sarif --show-ignored wrong.yaml >log
check "results that are not suppressed say so" [ "$(jq '[.runs[0].results[].suppressions == []] | all' log)" = true ]
parplan rules --format sarif >log
check "the catalogue" sh -c "python3 -B '$OLDPWD/tests/schemas/validate.py' '$OLDPWD/tests/schemas/sarif.json' <log"
check "all rules" [ "$(jq '.runs[0].tool.driver.rules | length' log)" = "$(parplan rules --format json | jq '.rules | length')" ]
echo "$passed passed, $failed failed"
