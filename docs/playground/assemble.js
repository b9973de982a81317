/*
 * Puts the page together: node docs/playground/assemble.js GLUE PROGRAM EXAMPLE... >index.html
 * The page has all in itself, so that it also works from a disk; its policy names what may run.
 */
"use strict";
const fs = require("fs"), path = require("path"), crypto = require("crypto"), zlib = require("zlib");
const [glue, program, ...examples] = process.argv.slice(2);

function read(name) {
	return fs.readFileSync(path.join(__dirname, name), "utf8").trim();
}

/* Within a script element, whatever it holds. */
function enclosed(text) {
	return text.replace(/<(?=!--|\/?script)/gi, "\\x3C");
}

function hash(text) {
	return "'sha256-" + crypto.createHash("sha256").update(text).digest("base64") + "'";
}

const script = read("page.js"), style = read("style.css");
const policy = "default-src 'none'; script-src 'wasm-unsafe-eval' " + hash(script) +
	"; worker-src blob:; style-src " + hash(style) +
	"; img-src blob: data:; connect-src 'none'; base-uri 'none'; form-action 'none'";
const parts = {
	POLICY: policy,
	STYLE: style,
	SCRIPT: script,
	EXAMPLES: JSON.stringify(examples.map(function (file) {
		return {name: path.basename(file), text: fs.readFileSync(file, "utf8")};
	})).replace(/</g, "\\u003c"),
	WORKER: enclosed(fs.readFileSync(glue, "utf8").trim() + "\n" + read("worker.js")),
	PROGRAM: zlib.gzipSync(fs.readFileSync(program), {level: 9}).toString("base64")
};
if (enclosed(script) !== script)
	throw new Error("page.js would end its element");
process.stdout.write(read("page.html").replace(/@([A-Z]+)@/g, function (_, name) {
	return parts[name];
}) + "\n");
