/*
 * Looks at pages in frames of several widths, light and dark, as a browser lays them out; what is wrong
 * is listed in the element with the id "faults". Run by tests/report.sh in headless Chromium.
 */
"use strict";
const faults = [];

/* What scrolls by itself, or is read out only. */
const APART = ".wide, pre, .skip, svg";

function nameOf(element) {
	return element.tagName.toLowerCase() + (element.id ? "#" + element.id : "") +
		(element.className && element.className.baseVal === undefined ? "." + element.className : "") +
		" '" + element.textContent.trim().replace(/\s+/g, " ").slice(0, 30) + "'";
}

function shown(element) {
	const box = element.getBoundingClientRect();
	return box.width > 0 && box.height > 0;
}

function checkWidths(page, say) {
	const width = page.documentElement.clientWidth;
	if (page.documentElement.scrollWidth > width)
		say("scrolls sideways: " + page.documentElement.scrollWidth + " of " + width);
	for (const element of page.body.querySelectorAll("*")) {
		if (element.parentElement.closest(APART) || element.matches(".skip"))
			continue;
		const box = element.getBoundingClientRect();
		if (shown(element) && (box.right > width + 1 || box.left < -1))
			say("reaches out of the page: " + nameOf(element) + " " + box.left + " to " + box.right);
	}
}

/* Boxes side by side or one below the other must not lie on each other. */
function checkOverlaps(page, say) {
	for (const parent of page.body.querySelectorAll("body, main, header, section, article, dl, dl > div, ul, p, tr, figure")) {
		const boxes = Array.from(parent.children).filter(function (child) {
			const style = getComputedStyle(child);
			return shown(child) && style.position === "static" && style.display !== "inline";
		}).map(function (child) { return [child, child.getBoundingClientRect()]; });
		for (let i = 1; i < boxes.length; i++) {
			const a = boxes[i - 1][1], b = boxes[i][1];
			if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
				Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
				say("overlap: " + nameOf(boxes[i - 1][0]) + " and " + nameOf(boxes[i][0]));
		}
	}
}

function luminance(color) {
	const parts = color.match(/[\d.]+/g).slice(0, 3).map(function (part) {
		const value = part / 255;
		return value <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
	});
	return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

function backgroundOf(element) {
	for (; element; element = element.parentElement) {
		const color = element.ownerDocument.defaultView.getComputedStyle(element).backgroundColor;
		if (color !== "rgba(0, 0, 0, 0)")
			return color;
	}
	return "rgb(255, 255, 255)";
}

/* WCAG 2.1, AA: 4.5 to 1. */
function checkContrast(page, say) {
	const seen = new Set();
	for (const element of page.body.querySelectorAll("*")) {
		if (element.closest("svg") || !Array.from(element.childNodes).some(function (node) {
			return node.nodeType === 3 && node.data.trim();
		}))
			continue;
		const ink = getComputedStyle(element).color, paper = backgroundOf(element);
		const one = luminance(ink) + 0.05, other = luminance(paper) + 0.05;
		const contrast = Math.max(one, other) / Math.min(one, other);
		if (contrast < 4.5 && !seen.has(ink + paper))
			say("contrast " + contrast.toFixed(2) + " of " + ink + " on " + paper + ": " + nameOf(element));
		seen.add(ink + paper);
	}
}

function type(input, value) {
	input.value = value;
	input.dispatchEvent(new Event("input"));
}

/* Filters hide rows and say how many are left; groups of rank 0 are as parplan wrote them. */
function checkScript(page, say) {
	if (!page.documentElement.classList.contains("live"))
		say("its script did not run");
	for (const search of page.querySelectorAll(".search")) {
		const rows = Array.from(page.getElementById(search.dataset.table).tBodies[0].rows);
		const word = rows[0].cells[0].textContent;
		type(search.querySelector("input"), word.toUpperCase());
		const left = rows.filter(function (row) { return !row.hidden; });
		if (!left.includes(rows[0]) || left.some(function (row) { return !row.textContent.includes(word); }))
			say("filter " + search.dataset.table + " for " + word + " leaves " + left.length + " rows");
		if (!search.querySelector("output").textContent.startsWith(left.length + " of " + rows.length))
			say("filter " + search.dataset.table + " says " + search.querySelector("output").textContent);
		type(search.querySelector("input"), "");
	}
	for (const search of page.querySelectorAll(".rank-search")) {
		const input = search.querySelector("input");
		const cells = Array.from(page.getElementById(search.dataset.table).querySelectorAll(".of-rank"));
		const before = cells.map(function (cell) { return cell.textContent; });
		type(input, input.max);
		for (const cell of cells)
			if (!cell.textContent.includes(input.max))
				say("rank " + input.max + " is not in its group " + cell.textContent);
		type(input, "0");
		cells.forEach(function (cell, i) {
			if (cell.textContent !== before[i])
				say("group " + cell.textContent + " was " + before[i]);
		});
	}
}

function check(frame) {
	const page = frame.contentDocument, where = frame.title;
	function say(what) { faults.push(where + ": " + what); }
	const dark = getComputedStyle(page.documentElement).backgroundColor !== "rgb(255, 255, 255)";
	if (dark !== (frame.style.colorScheme === "dark"))
		say("its colours are " + (dark ? "dark" : "light"));
	for (const look of [checkScript, checkWidths, checkOverlaps, checkContrast])
		look(page, say);
}

addEventListener("load", function () {
	const frames = Array.from(document.querySelectorAll("iframe"));
	for (const frame of frames) {
		try {
			check(frame);
		} catch (error) {
			faults.push(frame.title + ": " + error);
		}
	}
	document.getElementById("faults").textContent = faults.concat("frames: " + frames.length).join("\n");
});
