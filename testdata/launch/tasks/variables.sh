# Nothing but variables, for other scripts to read.
export NGPU=8
