"use strict";
/*
 * The page: what is typed is run through parplan in a worker, and shown. Texts of configs and of
 * parplan become text nodes or pictures, never markup.
 */
const $ = function (id) { return document.getElementById(id); };
const FIGURES = ["mesh", "groups", "compare", "shards", "pipeline", "memory", "breakdown"];
const TABS = ["findings", "plan", "figures", "forecast", "search"];
const TYPING_MS = 150, SEARCH_SECONDS = 60, FILE_BYTES = 4 << 20, LINK_CHARACTERS = 100000;

/* ---- elements ---- */

/* An element with attributes and children, which may be texts, elements or nothing. */
function make(name, attributes, ...children) {
	const element = document.createElement(name);
	for (const key in attributes || {})
		if (attributes[key] !== undefined)
			key in element ? element[key] = attributes[key] : element.setAttribute(key, attributes[key]);
	element.append(...children.flat().filter(function (child) { return child; }));
	return element;
}

function counted(count, what) {
	return count + " " + what + (count === 1 ? "" : "s");
}

/* ---- the program ---- */

async function unpackProgram() {
	const text = atob($("program").textContent.trim());
	const bytes = Uint8Array.from(text, function (character) { return character.charCodeAt(0); });
	const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(unpacked).arrayBuffer();
}

/* Its bytes, which each worker compiles: Firefox hands no compiled module to a worker of a page from a disk. */
const program = unpackProgram();
const workerUrl = URL.createObjectURL(new Blob([$("worker").textContent], {type: "text/javascript"}));

/* One worker, which answers in turn; what it is at can be given up. */
function makeRunner() {
	let worker = null, waiting = new Map(), next = 0;

	function start() {
		const started = worker = new Worker(workerUrl);
		worker.onmessage = function (event) {
			const done = waiting.get(event.data.id);
			waiting.delete(event.data.id);
			if (done)
				done(event.data);
		};
		worker.onerror = function (event) { tell("The program did not start: " + event.message); };
		program.then(function (bytes) { started.postMessage(bytes); });
	}
	start();
	return {
		run: function (words, job) {
			const id = next++, at = worker;
			return program.then(function () {
				return new Promise(function (done) {
					if (at !== worker)
						return; /* given up meanwhile */
					waiting.set(id, done);
					worker.postMessage({id: id, words: words, files: job.files, columns: columns(words[0])});
				});
			});
		},
		giveUp: function () {
			if (!waiting.size)
				return;
			worker.terminate();
			waiting = new Map();
			start();
		}
	};
}

const runner = makeRunner(), searcher = makeRunner();

/* How many letters a line of results has room for; a table that would wrap every word scrolls instead. */
function columns(command) {
	const probe = make("pre", {}, make("span", {}, "0".repeat(100)));
	$("results").append(probe);
	const letter = probe.firstChild.getBoundingClientRect().width / 100 || 8;
	const padding = 40, room = $("results").clientWidth - padding;
	probe.remove();
	return Math.max(command === "search" ? 90 : 40, Math.min(110, Math.floor(room / letter)));
}

/* ---- what is asked ---- */

let fileName = "config";

/* Words as a shell would cut them, quotes alone being special. */
function cut(text) {
	return (text.match(/(?:"[^"]*"|'[^']*'|\S)+/g) || []).map(function (word) {
		return word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2");
	});
}

/* A script that starts the job, or a manifest. */
function launcherName(text) {
	return /^\s*(apiVersion|kind)\s*:/m.test(text) || text.trim().startsWith("{") ? "launcher.yaml" : "launcher.sh";
}

/* All that a command needs: the files, and the words behind its own. */
function jobNow() {
	const files = {}, words = [], launcher = $("launcher").value;
	function say(option, value) {
		if (value)
			words.push(option, value);
	}
	files[fileName] = $("config").value;
	if (launcher.trim()) {
		files[launcherName(launcher)] = launcher;
		say("--launcher", launcherName(launcher));
	}
	say("--world", $("world").value.trim());
	cut($("framework").value).forEach(function (pin) { say("--framework", pin); });
	say("--set", $("gpu").value && "cluster.gpu=" + $("gpu").value);
	say("--set", $("node").value.trim() && "cluster.gpus_per_node=" + $("node").value.trim());
	say("--set", $("model").value.trim() && "model.preset=" + $("model").value.trim());
	cut($("set").value).forEach(function (pair) { say("--set", pair); });
	return {files: files, words: words, text: files[fileName], name: fileName};
}

/* ---- the link ---- */

const FIELDS = ["config", "launcher", "world", "framework", "gpu", "node", "model", "set"];

async function through(stream, bytes) {
	return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function fragmentNow() {
	const held = {};
	FIELDS.forEach(function (field) {
		if ($(field).value)
			held[field] = $(field).value;
	});
	if (!held.config)
		return "";
	if (fileName !== "config")
		held.name = fileName;
	const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(held)));
	const letters = Array.from(bytes, function (byte) { return String.fromCharCode(byte); }).join("");
	return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/* A file's name that is one word of a command line and no path. */
function plainName(name) {
	const plain = String(name).replace(/^.*[/\\]/, "").replace(/[^\w.+-]/g, "_").replace(/^[-.]+/, "");
	return !plain || /^launcher\.(sh|yaml)$/.test(plain) ? "config" : plain;
}

async function takeFragment() {
	const text = location.hash.slice(1);
	if (!text)
		return false;
	try {
		const letters = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
		const bytes = Uint8Array.from(letters, function (letter) { return letter.charCodeAt(0); });
		const held = JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)));
		FIELDS.forEach(function (field) { fill(field, String(held[field] || "")); });
		fileName = plainName(held.name || "config");
		return true;
	} catch (error) {
		tell("What follows # in the address is no config of this page.");
		return false;
	}
}

/* A field's value; a choice that a list does not have yet is added to it. */
function fill(id, value) {
	const field = $(id);
	if (field.tagName === "SELECT" && value && !Array.from(field.options).some(function (option) { return option.value === value; }))
		field.append(make("option", {value: value}, value));
	field.value = value;
	if (id === "launcher" && value)
		$("launcher-part").open = true;
}

let heldFragment = "";

async function keepFragment() {
	const fragment = await fragmentNow();
	if (fragment.length > LINK_CHARACTERS || fragment === heldFragment)
		return fragment;
	heldFragment = fragment;
	try {
		history.replaceState(null, "", fragment ? "#" + fragment : location.pathname + location.search);
	} catch (error) {
		heldFragment = ""; /* some browsers allow so many in a minute: the next one catches up */
	}
	return fragment;
}

async function share() {
	const fragment = await keepFragment();
	if (fragment.length > LINK_CHARACTERS) {
		tell("This config is too long for a link.");
		return;
	}
	try {
		await navigator.clipboard.writeText(location.href);
		tell("The link is copied. It holds the config.");
	} catch (error) {
		tell("The address of this page is the link: copy it from there.");
	}
}

/* ---- places in the text ---- */

/* Where a line and column (from 1, in code points) are in a text. */
function offsetOf(text, line, column) {
	let at = 0;
	for (; line > 1; line--) {
		const end = text.indexOf("\n", at);
		if (end < 0)
			return text.length;
		at = end + 1;
	}
	for (; column > 1 && at < text.length && text[at] !== "\n"; column--)
		at += text.codePointAt(at) > 0xffff ? 2 : 1;
	return at;
}

function rangeOf(text, span) {
	return [offsetOf(text, span.line, span.column), offsetOf(text, span.end_line, span.end_column)];
}

function goTo(span) {
	const editor = $("config"), range = rangeOf(editor.value, span);
	const height = parseFloat(getComputedStyle(editor).lineHeight);
	editor.focus();
	editor.setSelectionRange(range[0], Math.max(range[1], range[0]));
	editor.scrollTop = Math.max(0, (span.line - 6) * height);
}

/* Puts edits into the text so that they can be undone. */
function applyEdits(edits) {
	const editor = $("config"), text = editor.value;
	const ranges = edits.map(function (edit) { return [...rangeOf(text, edit.span), edit.text]; });
	ranges.sort(function (a, b) { return b[0] - a[0]; });
	editor.focus();
	for (const [start, end, words] of ranges) {
		editor.setSelectionRange(start, end);
		if (!document.execCommand(words ? "insertText" : "delete", false, words))
			editor.setRangeText(words, start, end, "end");
	}
	changed();
}

let gutterLines = 0;

function drawGutter(marks) {
	const gutter = $("gutter"), count = $("config").value.split("\n").length;
	if (count !== gutterLines)
		gutter.replaceChildren(...Array.from({length: count}, function (_, i) { return make("div", {}, String(i + 1)); }));
	gutterLines = count;
	if (marks)
		Array.from(gutter.children).forEach(function (line, i) { line.className = marks[i + 1] || ""; });
	gutter.scrollTop = $("config").scrollTop;
}

/* ---- findings ---- */

const RANK = {note: 1, warning: 2, error: 3};

function excerpt(text, finding, name) {
	const places = [finding].concat(finding.related).filter(function (place) {
		return place.span && place.path === name;
	});
	const lines = text.split("\n"), pre = make("pre", {className: "excerpt", tabIndex: 0, role: "group", ariaLabel: "Lines of the config"});
	const numbers = Array.from(new Set(places.map(function (place) { return place.span.line; })));
	numbers.sort(function (a, b) { return a - b; });
	numbers.forEach(function (number) {
		const line = lines[number - 1] || "", place = places.find(function (p) { return p.span.line === number; });
		const start = offsetOf(line, 1, place.span.column);
		const end = place.span.end_line > number ? line.length : offsetOf(line, 1, place.span.end_column);
		pre.append(make("span", {className: "at"}, String(number).padStart(4) + "  "), line.slice(0, start),
			make("mark", {}, line.slice(start, Math.max(end, start + 1))), line.slice(Math.max(end, start + 1)), "\n");
	});
	return places.length ? pre : null;
}

function remark(term, text, code) {
	return text && make("div", {}, make("dt", {}, term), make("dd", {}, code ? make("code", {}, text) : text));
}

function placeOf(finding, name) {
	const span = finding.span;
	if (!span)
		return make("span", {}, finding.path === name ? "" : finding.path);
	if (finding.path !== name)
		return make("span", {}, finding.path + ":" + span.line);
	return make("button", {type: "button", onclick: function () { goTo(span); }}, "Line " + span.line);
}

function linkOf(finding) {
	if (!/^https:/.test(finding.help))
		return null;
	return make("a", {href: finding.help, rel: "noreferrer", target: "_blank"}, "source");
}

/* What is behind a rule, once somebody asks. */
function explanation(rule) {
	const details = make("details", {}, make("summary", {}, "What is behind " + rule));
	details.addEventListener("toggle", async function () {
		if (!details.open || details.children.length > 1)
			return;
		const answer = await runner.run(["explain", rule], {files: {}});
		details.append(make("pre", {className: "told"}, answer.out || answer.error));
	}, {passive: true});
	return details;
}

function showFinding(finding, job) {
	const edits = finding.fix.edits;
	return make("article", {className: "finding of-" + finding.severity},
		make("h3", {}, make("span", {className: "badge " + finding.severity}, finding.severity), " ", finding.message),
		make("div", {className: "place"}, placeOf(finding, job.name), make("code", {}, finding.rule), linkOf(finding)),
		excerpt(job.text, finding, job.name),
		make("dl", {className: "remarks"}, remark("requested", finding.requested), remark("actual", finding.actual),
			remark("effect", finding.consequence), remark("raises", finding.quote, true),
			remark("fix", finding.fix.description)),
		edits.length > 0 && finding.path === job.name &&
			make("p", {}, make("button", {type: "button", onclick: function () { applyEdits(edits); }}, "Apply this fix")),
		explanation(finding.rule));
}

function assumed(file) {
	const parts = file.framework.map(function (one) {
		return one.name + " " + one.version + (one.origin === "inferred" ? " (inferred)" : "");
	});
	parts.push(file.world_size ? counted(file.world_size, "rank") : "number of ranks unknown", file.model || "model unknown");
	return make("p", {className: "assumed"}, (file.dialect ? "Read as " + file.dialect + ": " : "") + parts.join(", "));
}

function skippedList(skipped) {
	const undecided = skipped.filter(function (one) { return !one.optional; });
	const needs = new Map();
	undecided.forEach(function (one) { needs.set(one.needs, (needs.get(one.needs) || []).concat(one.rule)); });
	return undecided.length ? make("details", {}, make("summary", {}, counted(undecided.length, "rule") + " not decided"),
		Array.from(needs, function (need) {
			return make("p", {}, "for want of " + need[0] + ": ", make("code", {}, need[1].join(", ")));
		})) : null;
}

function saidIn(summary) {
	return [counted(summary.errors, "error"), counted(summary.warnings, "warning"), counted(summary.notes, "note")].join(", ");
}

function showFindings(answer, job) {
	const panel = $("panel-findings"), tab = $("tab-findings"), marks = {};
	if (answer.status > 1 || !answer.out) {
		tab.replaceChildren("Findings");
		drawGutter({});
		panel.replaceChildren(make("pre", {className: "told"}, answer.error || "parplan ended with status " + answer.status));
		return "could not be judged";
	}
	const said = JSON.parse(answer.out), file = said.files[0], summary = said.summary;
	file.findings.forEach(function (finding) {
		const line = finding.span && finding.path === job.name && finding.span.line;
		const now = (marks[line] || "").slice(3);
		if (line && (RANK[now] || 0) < RANK[finding.severity])
			marks[line] = "of-" + finding.severity;
	});
	drawGutter(marks);
	tab.replaceChildren("Findings ", file.findings.length ? make("b", {}, String(file.findings.length)) : "");
	offerVersions(file.framework);
	panel.replaceChildren(assumed(file),
		file.findings.length ? "" : make("p", {className: "verdict"}, "No findings."),
		...file.findings.map(function (finding) { return showFinding(finding, job); }),
		skippedList(summary.skipped) || "");
	return saidIn(summary) + (summary.judged.status === "judged" ? "" : ", judged " + (summary.judged.status === "not" ? "not at all" : "in part"));
}

function offerVersions(frameworks) {
	$("versions").replaceChildren(...frameworks.filter(function (one) { return one.version; }).map(function (one) {
		return make("option", {value: one.name + "@" + one.version});
	}));
}

/* ---- the other tabs ---- */

const LACKS = "\nWhat is missing can be given below the config.";

function told(answer, ask) {
	const text = answer.out + (answer.out && answer.error ? "\n" : "") + answer.error;
	return make("pre", {className: answer.out ? "" : "told", tabIndex: 0}, text.trimEnd() + (answer.status > 1 && ask ? LACKS : ""));
}

async function showText(words, panel, job, isCurrent) {
	const answer = await runner.run(words.concat(job.words, job.name), job);
	if (isCurrent())
		panel.replaceChildren(told(answer, true));
}

function pictureOf(figure, svg) {
	const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
	const title = parsed.querySelector("title"), description = parsed.querySelector("desc");
	const url = URL.createObjectURL(new Blob([svg], {type: "image/svg+xml"}));
	const image = make("img", {src: url, alt: [title, description].map(function (part) {
		return part ? part.textContent : "";
	}).join(". ")});
	image.style.setProperty("--full", parsed.documentElement.getAttribute("width") + "px");
	return make("figure", {}, make("figcaption", {}, figure, make("a", {href: url, download: "parplan-" + figure + ".svg"}, "SVG")),
		make("div", {className: "wide", tabIndex: 0, role: "group", ariaLabel: "Figure " + figure}, image));
}

async function showFigures(panel, job, isCurrent) {
	const fresh = document.createDocumentFragment(), missing = [];
	for (const figure of FIGURES) {
		const answer = await runner.run(["draw", "--figure", figure, "--format", "svg", "-o", "-"].concat(job.words, job.name), job);
		if (!isCurrent())
			return;
		if (answer.status === 0 || answer.out)
			fresh.append(pictureOf(figure, answer.out));
		else
			missing.push(figure + ": " + answer.error.replace(/^parplan: (draw: )?/, "").trim());
	}
	panel.querySelectorAll("img").forEach(function (image) { URL.revokeObjectURL(image.src); });
	panel.replaceChildren(fresh);
	if (missing.length)
		panel.append(make("h3", {}, "Not drawn"), make("pre", {className: "told"}, missing.join("\n") + LACKS));
}

async function showSearch(panel, job, isCurrent) {
	const output = make("pre", {className: "told"}, "Searching."), start = performance.now();
	const stop = make("button", {type: "button"}, "Stop");
	const words = ["search", "--jobs", "1", "--time-limit", String(SEARCH_SECONDS)].concat(job.words, job.name);
	const clock = setInterval(function () {
		if (!isCurrent())
			clearInterval(clock);
		output.textContent = "Searching for " + Math.round((performance.now() - start) / 1000) + " s, of at most " + SEARCH_SECONDS + ".";
	}, 1000);
	stop.onclick = function () {
		searcher.giveUp();
		clearInterval(clock);
		stop.replaceWith(make("button", {type: "button", onclick: function () { openTab("search", true); }}, "Search again"));
		output.textContent = "Stopped.";
		finished("Search stopped");
	};
	searcher.giveUp();
	panel.classList.remove("busy"); /* it says itself that it is at work */
	panel.replaceChildren(make("div", {className: "controls"}, stop), output);
	const answer = await searcher.run(words, job);
	clearInterval(clock);
	if (!isCurrent())
		return;
	panel.replaceChildren(told(answer, true));
}

const SHOW = {
	plan: function (panel, job, isCurrent) { return showText(["plan"], panel, job, isCurrent); },
	figures: showFigures,
	forecast: function (panel, job, isCurrent) { return showText(["sim", "--memory-report"], panel, job, isCurrent); },
	search: showSearch
};

/* ---- what goes on ---- */

/* Each text that is judged has a number; the last one whose findings are shown, and of each tab what it shows. */
let revision = 0, judgedAt = 0, shownAt = {};
let shownTab = "findings", timer = null, lastWords = "";

function tell(text) {
	$("status").textContent = text;
}

function finished(words, milliseconds) {
	document.body.dataset.state = "done";
	tell(words + (milliseconds ? ", in " + Math.round(milliseconds) + " ms" : "") + ".");
}

/* Shows the tab's results if they are not those of the present text. */
async function refresh() {
	const tab = shownTab, mine = revision, panel = $("panel-" + tab);
	if (tab === "findings" || shownAt[tab] === mine || !$("config").value.trim())
		return;
	shownAt[tab] = mine;
	panel.classList.add("busy");
	document.body.dataset.state = "busy";
	await SHOW[tab](panel, jobNow(), function () { return mine === revision; });
	if (mine !== revision)
		return;
	panel.classList.remove("busy");
	if (tab === shownTab)
		finished(lastWords);
}

async function judge() {
	const mine = ++revision, job = jobNow(), start = performance.now();
	runner.giveUp();
	searcher.giveUp();
	keepFragment();
	if (!job.text.trim()) {
		TABS.forEach(function (tab) {
			$("panel-" + tab).classList.remove("busy");
			$("panel-" + tab).replaceChildren(make("p", {className: "assumed"}, "Paste a config, drop its file, or choose an example."));
		});
		$("tab-findings").replaceChildren("Findings");
		drawGutter({});
		lastWords = "Nothing to judge yet";
		finished(lastWords);
		return;
	}
	document.body.dataset.state = "busy";
	const answer = await runner.run(["check", "--format", "json"].concat(job.words, job.name), job);
	if (mine !== revision)
		return;
	judgedAt = mine;
	lastWords = showFindings(answer, job);
	finished(lastWords, performance.now() - start);
	document.body.dataset.answered = document.body.dataset.answered || Math.round(performance.now());
	refresh();
}

function changed() {
	drawGutter();
	clearTimeout(timer);
	document.body.dataset.state = "busy";
	timer = setTimeout(judge, TYPING_MS);
}

function openTab(name, again) {
	shownTab = name;
	TABS.forEach(function (tab) {
		$("tab-" + tab).setAttribute("aria-selected", String(tab === name));
		$("tab-" + tab).tabIndex = tab === name ? 0 : -1;
		$("panel-" + tab).hidden = tab !== name;
	});
	if (again)
		delete shownAt[name];
	if (judgedAt === revision)
		refresh();
}

function moveTab(event) {
	const steps = {ArrowRight: 1, ArrowLeft: -1}, at = TABS.indexOf(shownTab);
	const to = event.key === "Home" ? 0 : event.key === "End" ? TABS.length - 1 : at + (steps[event.key] || NaN);
	if (isNaN(to))
		return;
	event.preventDefault();
	openTab(TABS[(to + TABS.length) % TABS.length]);
	$("tab-" + shownTab).focus();
}

async function takeFiles(files) {
	for (const file of files) {
		if (file.size > FILE_BYTES) {
			tell(file.name + " is larger than a config may be.");
			continue;
		}
		const text = await file.text();
		if (files.length > 1 && /\.(sh|bash|slurm|sbatch)$/.test(file.name)) {
			fill("launcher", text);
		} else {
			fileName = plainName(file.name);
			fill("config", text);
		}
	}
	changed();
}

async function saveReport() {
	const job = jobNow();
	const answer = await runner.run(["report"].concat(job.words, "-o", "-", job.name), job);
	if (!answer.out) {
		tell(answer.error.trim());
		return;
	}
	const url = URL.createObjectURL(new Blob([answer.out], {type: "text/html"}));
	make("a", {href: url, download: "parplan.html"}).click();
	setTimeout(function () { URL.revokeObjectURL(url); }, 60000);
}

/* ---- the beginning ---- */

/* What parplan knows by name. */
async function offerNames() {
	const none = {files: {}}, version = await runner.run(["--version"], none);
	const presets = await runner.run(["presets", "--format", "json"], none), known = JSON.parse(presets.out);
	const gpu = $("gpu").value;
	$("version").textContent = version.out.split("\n")[0];
	$("models").append(...known.models.map(function (model) { return make("option", {value: model.name}); }));
	$("gpu").append(...known.gpus.filter(function (one) { return one.name !== gpu; }).map(function (one) {
		return make("option", {value: one.name}, one.name);
	}));
}

function offerExamples() {
	const examples = JSON.parse($("examples").textContent);
	$("example").append(...examples.map(function (one, i) { return make("option", {value: String(i)}, one.name); }));
	$("example").addEventListener("change", function (event) {
		const one = examples[event.target.value];
		if (!one)
			return;
		FIELDS.forEach(function (field) { fill(field, ""); });
		fileName = plainName(one.name);
		fill("config", one.text);
		$("config").scrollTop = 0;
		changed();
	});
}

function listen() {
	FIELDS.forEach(function (field) { $(field).addEventListener("input", changed); });
	$("config").addEventListener("beforeinput", function (event) {
		if (event.target.selectionEnd - event.target.selectionStart === event.target.value.length)
			fileName = "config"; /* all of it is replaced: a file's name says nothing of what comes */
	});
	$("config").addEventListener("scroll", function () { $("gutter").scrollTop = $("config").scrollTop; }, {passive: true});
	TABS.forEach(function (tab) { $("tab-" + tab).addEventListener("click", function () { openTab(tab); }); });
	$("tabs").addEventListener("keydown", moveTab);
	$("open").addEventListener("click", function () { $("file").click(); });
	$("file").addEventListener("change", function (event) { takeFiles(event.target.files); });
	$("share").addEventListener("click", share);
	$("report").addEventListener("click", saveReport);
	addEventListener("dragover", function (event) {
		event.preventDefault();
		$("drop").classList.add("over");
	});
	addEventListener("dragleave", function () { $("drop").classList.remove("over"); });
	addEventListener("drop", function (event) {
		event.preventDefault();
		$("drop").classList.remove("over");
		takeFiles(event.dataTransfer.files);
	});
	addEventListener("hashchange", async function () {
		if (location.hash.slice(1) !== heldFragment && await takeFragment())
			changed();
	});
}

async function begin() {
	offerExamples();
	listen();
	await takeFragment();
	drawGutter();
	try {
		await program;
	} catch (error) {
		tell("This browser cannot run the program: " + error);
		return;
	}
	await judge();
	offerNames();
}

begin();
