/*
 * The page's program says what parplan says, byte for byte, over the corpus:
 *     node tests/playground/same.js PAGE PARPLAN [COMMAND...]
 * from the repository's root. It runs what the page holds: its worker's text and its program.
 */
"use strict";
const fs = require("fs"), path = require("path"), zlib = require("zlib"), vm = require("vm");
const {spawnSync} = require("child_process");
const [page, native, ...commands] = process.argv.slice(2);

const CORPUS = ["plans", "testdata/dialects", "testdata/launch", "testdata/mistakes", "testdata/rules", "testdata/syntax"];
/* What files of the corpus name outside their own folder. */
const AROUND = ["plans/hosts", "testdata/dialects", "testdata/hosts"];
const IS_CONFIG = /\.(yaml|yml|toml|json|sh|slurm|sbatch)$/;

function below(folder) {
	return fs.readdirSync(folder, {withFileTypes: true, recursive: true}).filter(function (entry) {
		return entry.isFile();
	}).map(function (entry) { return path.join(entry.parentPath || entry.path, entry.name); }).sort();
}

function part(html, id) {
	const text = html.split('id="' + id + '">')[1];
	return text.slice(0, text.indexOf("</script>"));
}

/* The words of a "# run:" line, which cases have that say more than their file does. */
function wordsOf(file) {
	const run = fs.readFileSync(file, "utf8").match(/^(?:#|\/\/) run: (.*)$/m);
	return run && !/["'$|;]/.test(run[1]) ? run[1].split(/\s+/).filter(Boolean) : [];
}

function firstDifference(a, b) {
	let i = 0;
	while (i < a.length && a[i] === b[i])
		i++;
	return "\n    native " + JSON.stringify(a.slice(Math.max(0, i - 60), i + 100)) +
		"\n    page   " + JSON.stringify(b.slice(Math.max(0, i - 60), i + 100));
}

/* The files of some folders, in a repository, and the one outside it that a case names. */
function filesOf(folders) {
	const files = {".git/HEAD": "", "/etc/passwd": ""};
	folders.flatMap(below).forEach(function (file) { files[file] = fs.readFileSync(file); });
	return files;
}

async function main() {
	const html = fs.readFileSync(page, "utf8");
	Object.assign(globalThis, {self: globalThis, location: {href: ""}});
	vm.runInThisContext(part(html, "worker").replaceAll("\\x3C", "<") + "\nglobalThis.runCommand = runCommand;");
	const module = await WebAssembly.compile(zlib.gunzipSync(Buffer.from(part(html, "program"), "base64")));
	const cases = CORPUS.flatMap(below).filter(function (file) { return IS_CONFIG.test(file); });
	const files = new Map(CORPUS.map(function (folder) { return [folder, filesOf(AROUND.concat(folder))]; }));
	let wrong = 0;
	for (const command of commands.length ? commands : ["check"]) {
		let same = 0, milliseconds = 0, slowest = 0;
		for (const file of cases) {
			const words = [command, "--format", "json", file].concat(wordsOf(file));
			const asked = spawnSync(native, words, {encoding: "utf8", maxBuffer: 1 << 28, env: {COLUMNS: "80"}});
			const told = await runCommand(module, {id: 0, words: words, files: files.get(CORPUS.find(function (folder) { return file.startsWith(folder + "/"); })), columns: 80});
			milliseconds += told.milliseconds;
			slowest = Math.max(slowest, told.milliseconds);
			if (asked.status === told.status && asked.stdout === told.out && asked.stderr === told.error) {
				same++;
				continue;
			}
			wrong++;
			console.log(words.join(" ") + ": status " + asked.status + " and " + told.status +
				(asked.stdout === told.out ? firstDifference(asked.stderr, told.error) :
					firstDifference(asked.stdout, told.out)));
		}
		console.log(command + ": " + same + " of " + cases.length + " files the same, " +
			(milliseconds / cases.length).toFixed(0) + " ms each, at most " + slowest.toFixed(0));
	}
	process.exitCode = wrong ? 1 : 0;
}

main();
