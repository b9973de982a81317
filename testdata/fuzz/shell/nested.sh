a ${X:-${Y:-$((1+(2*Z)))}} "$(b "c `d`")" ${#A[@]} ${X%%.*} ${A[1]}
while read x; do ((i++)); done < f
