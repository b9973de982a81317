parplan search --fix pp=1 --fix cp=1 --sweep plans/sweeps/two-machines --framework torchtitan@v0.2.2; echo $?
