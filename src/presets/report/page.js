"use strict";
/* The page is whole without this; it adds searching. No ampersand and no "less than" stand here: XML. */
document.documentElement.classList.add("live");

/* Hides the rows of a table that lack one of the words typed. */
function filterRows(search) {
	const rows = Array.from(document.getElementById(search.dataset.table).tBodies[0].rows);
	const texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
	const output = search.querySelector("output");
	search.querySelector("input").addEventListener("input", function (event) {
		const words = event.target.value.toLowerCase().split(/\s+/);
		let shown = 0;
		rows.forEach(function (row, i) {
			const found = words.every(function (word) { return texts[i].includes(word); });
			row.hidden = !found;
			shown += found ? 1 : 0;
		});
		output.textContent = shown + " of " + rows.length + (rows.length === 1 ? " row" : " rows");
	});
}

function range(count) {
	return Array.from({length: count}, function (_, i) { return i; });
}

/* Ranks with equal steps, as parplan writes them: "0-7", "0,8,..,56". */
function runText(first, size, stride) {
	const last = first + (size - 1) * stride;
	if (size > 2) {
		if (stride === 1)
			return first + "-" + last;
		if (size > 4)
			return first + "," + (first + stride) + ",..," + last;
	}
	return range(size).map(function (i) { return first + i * stride; }).join();
}

/* The group of a rank: sizes and strides, outermost first, with strides falling. */
function groupText(sizes, strides, rank) {
	let base = rank, starts = [0];
	sizes.forEach(function (size, i) {
		base -= Math.floor(rank / strides[i]) % size * strides[i];
	});
	sizes.slice(0, -1).forEach(function (size, i) {
		starts = starts.flatMap(function (start) {
			return range(size).map(function (k) { return start + k * strides[i]; });
		});
	});
	let runs = starts.map(function (start) {
		return runText(base + start, sizes[sizes.length - 1], strides[strides.length - 1]);
	});
	if (runs.length > 4)
		runs = [runs[0], runs[1], "..", runs[runs.length - 1]];
	return "{" + runs.join() + "}";
}

/* Says of each axis in which group a rank is. */
function showRank(search) {
	const table = document.getElementById(search.dataset.table);
	const heads = table.tHead.rows[0].cells;
	const output = search.querySelector("output");
	search.querySelector("input").addEventListener("input", function (event) {
		const rank = event.target.valueAsNumber;
		if (!event.target.checkValidity() || !Number.isInteger(rank)) {
			output.textContent = "ranks are 0 to " + event.target.max;
			return;
		}
		heads[heads.length - 1].textContent = "of rank " + rank;
		Array.from(table.tBodies[0].rows).forEach(function (row) {
			row.cells[row.cells.length - 1].textContent = groupText(
				row.dataset.sizes.split(",").map(Number), row.dataset.strides.split(",").map(Number), rank);
		});
		output.textContent = "groups of rank " + rank + " are shown";
	});
}

document.addEventListener("DOMContentLoaded", function () {
	document.querySelectorAll(".search").forEach(filterRows);
	document.querySelectorAll(".rank-search").forEach(showRank);
});
addEventListener("beforeprint", function () {
	document.querySelectorAll("details").forEach(function (details) { details.open = true; });
});
