/*
 * Opens the playground in headless Chromium and uses it as people do:
 *     node tests/playground/page.js PAGE CHROMIUM [PICTURES]
 * PICTURES is a folder that gets a picture of each state, light, dark and as a telephone shows it.
 */
"use strict";
const fs = require("fs"), os = require("os"), path = require("path");
const {openBrowser, openTab} = require("./browser.js");
const [page, program, pictures] = process.argv.slice(2);
const FIRST_ANSWER_MS = 1000;
if (!program) {
	console.log("playground: this needs Chromium: apt-get install chromium");
	process.exit(2);
}

let passed = 0, failed = 0;
function verdict(good, what) {
	good ? passed++ : failed++;
	if (!good)
		console.log("playground: " + what);
}

const DONE = "document.body.dataset.state === 'done'";
const MISTAKE = fs.readFileSync("plans/mistake-degrees.yaml", "utf8");

function text(selector) {
	return "document.querySelector(" + JSON.stringify(selector) + ").innerText";
}

async function paste(tab, words) {
	await tab.ask("document.getElementById('config').focus(); document.getElementById('config').select()");
	await tab.tell("Input.insertText", {text: words});
	await tab.until(DONE);
}

async function open(tab, fragment) {
	await tab.tell("Page.navigate", {url: "about:blank"});
	await tab.tell("Page.navigate", {url: "file://" + path.resolve(page) + (fragment || "")});
	await tab.until("document.body && document.body.dataset.answered !== undefined || " +
		"document.body && document.body.dataset.state === 'done'");
}

async function findings(tab) {
	await paste(tab, MISTAKE);
	const said = await tab.ask(text("#panel-findings"));
	verdict(said.includes("degrees-product") && said.includes("heads-divisibility"), "a pasted mistake is not found: " + said);
	verdict(/^2 errors/.test(await tab.ask(text("#status"))), "the status says " + await tab.ask(text("#status")));
	verdict(await tab.ask("document.querySelectorAll('#gutter .of-error').length") === 2, "lines of errors are not marked");
	await tab.ask("document.querySelector('.place button').click()");
	verdict(await tab.ask("document.activeElement.id === 'config' && getSelection().toString() !== '' || " +
		"document.activeElement.selectionEnd > document.activeElement.selectionStart"), "a line number leads nowhere");
}

async function edits(tab) {
	await paste(tab, MISTAKE.replace("tp: 16", "tp: 8").replace("dp_shard: 4", "dp_shrad: 4"));
	const before = await tab.ask("document.getElementById('config').value");
	const button = "Array.from(document.querySelectorAll('.finding button')).find(b => /Apply/.test(b.innerText))";
	verdict(await tab.ask("Boolean(" + button + ")"), "a misspelt key has no edit: " + await tab.ask(text("#panel-findings")));
	await tab.ask(button + ".click()");
	await tab.until(DONE);
	const after = await tab.ask("document.getElementById('config').value");
	verdict(after !== before && after.includes("dp_shard: 4"), "the edit makes " + after);
	await tab.ask("document.getElementById('config').focus(); document.execCommand('undo')");
	verdict(await tab.ask("document.getElementById('config').value") === before, "an edit is not undone");
}

/* Files that are dropped: a config alone, and one with the script that starts it. */
async function drops(tab) {
	const drop = function (files) {
		return tab.ask("{ const t = new DataTransfer(); " + JSON.stringify(files) + ".forEach(f => t.items.add(new File([f[1]], f[0])));" +
			" document.getElementById('config').dispatchEvent(new DragEvent('drop', {dataTransfer: t, bubbles: true, cancelable: true})); }");
	};
	const config = fs.readFileSync("plans/torchtitan-llama3-8b.toml", "utf8");
	await paste(tab, "");
	await drop([["my train.toml", config]]);
	await tab.until("document.getElementById('config').value.length > 100");
	await tab.until(DONE);
	verdict(/16 ranks/.test(await tab.ask(text("#panel-findings"))), "a dropped file: " + await tab.ask(text("#panel-findings")));
	await drop([["train.toml", config], ["run.sh", "torchrun --nnodes 4 --nproc-per-node 8 train.py --job.config_file train.toml\n"]]);
	await tab.until("document.getElementById('launcher').value");
	await tab.until(DONE);
	verdict(/32 ranks/.test(await tab.ask(text("#panel-findings"))), "a dropped launcher: " + await tab.ask(text("#panel-findings")));
	await tab.ask("{ const f = document.getElementById('launcher'); f.value = ''; f.dispatchEvent(new Event('input')); }");
	await tab.until(DONE);
}

async function tabs(tab) {
	await paste(tab, fs.readFileSync("plans/hsdp-2x8.yaml", "utf8"));
	verdict(/No findings/.test(await tab.ask(text("#panel-findings"))), "a good config has findings");
	await tab.ask("document.getElementById('tab-findings').focus()");
	const wanted = {
		plan: "document.getElementById('panel-plan').innerText.includes('dp_replicate')",
		figures: "document.querySelectorAll('#panel-figures img').length >= 6",
		forecast: "/MFU/.test(document.getElementById('panel-forecast').innerText)",
		search: "/Best layouts/.test(document.getElementById('panel-search').innerText)"
	};
	for (const name in wanted) {
		await tab.key("ArrowRight");
		verdict(await tab.ask("document.activeElement.id") === "tab-" + name, "arrows do not lead to " + name);
		await tab.until(wanted[name], 120);
		passed++;
	}
	await tab.ask("document.getElementById('tab-findings').click()");
}

/* A search does not hold up the rest, and can be stopped. */
async function aside(tab) {
	await paste(tab, fs.readFileSync("plans/pp-interleaved-405b.yaml", "utf8"));
	await tab.ask("document.getElementById('tab-search').click()");
	await tab.ask("document.getElementById('tab-plan').click()");
	await tab.until("document.getElementById('panel-plan').innerText.includes('pp')");
	await tab.ask("document.getElementById('tab-search').click()");
	await tab.ask("document.querySelector('#panel-search button').click()");
	verdict(/Stopped/.test(await tab.ask(text("#panel-search"))), "a search is not stopped: " + await tab.ask(text("#panel-search")));
	await tab.ask("document.getElementById('tab-findings').click()");
}

async function options(tab) {
	await paste(tab, fs.readFileSync("plans/incidents/hsdp-collapse-711.toml", "utf8"));
	verdict(/1 warning/.test(await tab.ask(text("#status"))), "the incident is not found");
	await tab.ask("const f = document.getElementById('framework'); f.value = 'torchtitan@d7cabfb6c'; f.dispatchEvent(new Event('input'))");
	await tab.until(DONE);
	verdict(/1 error/.test(await tab.ask(text("#status"))), "another version says " + await tab.ask(text("#status")));
}

/* From the start of loading to findings, the best of some; a machine that does other things proves nothing. */
async function firstAnswer(tab, fragment) {
	let best = Infinity;
	for (let i = 0; i < 5; i++) {
		await open(tab, fragment);
		best = Math.min(best, await tab.ask("Number(document.body.dataset.answered)"));
	}
	const idle = os.loadavg()[0] < os.cpus().length;
	console.log("playground: first answer after " + best + " ms" + (idle ? "" : ", on a busy machine"));
	verdict(best <= FIRST_ANSWER_MS || !idle, "the first answer came after " + best + " ms");
}

/* The fragment alone brings the page back, with its options. */
async function link(tab) {
	const was = await tab.ask("[location.hash, document.getElementById('config').value]");
	verdict(was[0].length > 100, "the address holds no config");
	await open(tab, was[0]);
	verdict(await tab.ask("document.getElementById('config').value") === was[1], "a link does not bring the config back");
	verdict(await tab.ask("document.getElementById('framework').value") === "torchtitan@d7cabfb6c", "a link loses the version");
	await firstAnswer(tab, was[0]);
	await open(tab, "#" + "A".repeat(50));
	verdict(!(await tab.ask("document.getElementById('config').value")), "a broken link fills the editor");
}

/* What a config says stays text; nothing is asked of a network. */
async function hostile(tab, browser) {
	await paste(tab, "parplan: 1\n\"<img src=x onerror=window.bad=1>\": 1\nmodel: \"<script>window.bad=1</script>\"\n");
	verdict(!(await tab.ask("window.bad || document.querySelector('#panel-findings img, #panel-findings script')")), "markup gets through");
	verdict(await tab.ask("fetch('https://example.com/').then(() => 'sent', () => 'refused')") === "refused", "the page may ask the network");
	const asked = browser.heard.filter(function (event) {
		return event.method === "Network.requestWillBeSent" && !/^(file|blob|data|about):/.test(event.params.request.url) &&
			event.params.request.url !== "https://example.com/";
	});
	verdict(!asked.length, "the network was asked: " + asked.map(function (event) { return event.params.request.url; }));
	const thrown = browser.heard.filter(function (event) { return event.method === "Runtime.exceptionThrown"; });
	verdict(!thrown.length, "the script threw: " + JSON.stringify(thrown));
}

/* Widths, overlaps and contrast, as pages of reports are looked at. */
const LAYOUT = fs.readFileSync("tests/report/layout.js", "utf8").replace(/^addEventListener[^]*/m, "");
const LOOK = "(function () {" + LAYOUT + "for (const look of [checkWidths, checkOverlaps, checkContrast])" +
	" look(document, function (what) { faults.push(what); }); return faults.join('; '); })()";

async function layouts(tab) {
	await paste(tab, MISTAKE);
	for (const [width, dark] of [[390, false], [390, true], [768, false], [1440, true], [1440, false]]) {
		await tab.size(width, 900);
		await tab.dark(dark);
		for (const name of ["findings", "plan", "figures", "forecast"]) {
			await tab.ask("document.getElementById('tab-" + name + "').click()");
			await tab.until(DONE);
			const faults = await tab.ask(LOOK);
			verdict(!faults, name + " at " + width + " px, " + (dark ? "dark: " : "light: ") + faults);
		}
	}
}

/* What screen readers say. */
async function names(tab) {
	await paste(tab, MISTAKE);
	const {nodes} = await tab.tell("Accessibility.getFullAXTree");
	const nameless = nodes.filter(function (node) {
		return !node.ignored && /^(button|textbox|combobox|spinbutton|tab|tabpanel|image|link|listbox)$/.test(node.role && node.role.value) &&
			!(node.name && node.name.value);
	});
	verdict(!nameless.length, "without a name: " + nameless.map(function (node) { return node.role.value; }));
}

async function takePictures(tab) {
	const shots = [["light", 1440, 900, false], ["dark", 1440, 900, true], ["telephone", 390, 844, false], ["telephone-dark", 390, 844, true]];
	fs.mkdirSync(pictures, {recursive: true});
	for (const [name, width, height, dark] of shots) {
		await tab.size(width, height);
		await tab.dark(dark);
		await open(tab);
		await tab.picture(path.join(pictures, name + ".png"), true);
		for (const [file, part] of [["plans/incidents/hsdp-collapse-711.toml", "findings"], ["plans/mistake-degrees.yaml", "findings"],
			["plans/hsdp-2x8.yaml", "plan"], ["plans/hsdp-2x8.yaml", "figures"], ["plans/hsdp-2x8.yaml", "forecast"],
			["plans/hsdp-2x8.yaml", "search"]]) {
			await tab.ask("document.getElementById('tab-" + part + "').click()");
			await paste(tab, fs.readFileSync(file, "utf8"));
			await tab.ask("document.activeElement.blur(); scrollTo(0, 0)");
			await tab.picture(path.join(pictures, [name, part, path.basename(file)].join("-") + ".png"), true);
		}
	}
}

async function main() {
	const browser = openBrowser(program);
	try {
		const tab = await openTab(browser);
		await open(tab);
		for (const look of [findings, edits, drops, tabs, aside, options, link, hostile, layouts, names])
			await look(tab, browser);
		if (pictures)
			await takePictures(tab);
	} catch (error) {
		verdict(false, error.stack);
	}
	await browser.close();
	console.log(passed + " passed, " + failed + " failed");
	process.exitCode = failed ? 1 : 0;
}

main();
