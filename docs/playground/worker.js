/*
 * Runs parplan, one command at a time and each in an instance of its own, so that none leaves
 * anything to the next. It stands behind the glue that emscripten writes, which defines parplan().
 * The first message is the program's bytes; every other one is a request:
 *     {id, words, files: {NAME: TEXT}, columns}
 * and is answered with
 *     {id, status, out, error, milliseconds}
 */
"use strict";

function makeFolders(fs, path) {
	const parts = path.split("/").slice(0, -1);
	parts.forEach(function (part, i) {
		const folder = parts.slice(0, i + 1).join("/");
		if (folder && !fs.analyzePath(folder).exists)
			fs.mkdir(folder);
	});
}

/* Collects the bytes of a stream, which are UTF-8. */
function collector() {
	let bytes = new Uint8Array(65536), length = 0;
	return {
		put: function (byte) {
			if (byte === null)
				return;
			if (length === bytes.length) {
				const more = new Uint8Array(length * 2);
				more.set(bytes);
				bytes = more;
			}
			bytes[length++] = byte;
		},
		text: function () { return new TextDecoder().decode(bytes.subarray(0, length)); }
	};
}

/* A new instance of the module, whose streams go to two collectors. */
function makeInstance(module, columns, out, error) {
	return parplan({
		noInitialRun: true,
		quit: function (status, thrown) { throw thrown; },
		instantiateWasm: function (imports, done) {
			WebAssembly.instantiate(module, imports).then(done);
			return {};
		},
		preRun: [function (made) {
			made.ENV.COLUMNS = String(columns || "");
			made.FS.init(function () { return null; }, out.put, error.put);
		}]
	});
}

/* One command in an instance of its own; its exit status. */
async function runIn(module, request, out, error) {
	const instance = await makeInstance(await module, request.columns, out, error), fs = instance.FS;
	fs.mkdir("/work");
	fs.chdir("/work");
	Object.keys(request.files).forEach(function (name) {
		makeFolders(fs, name);
		fs.writeFile(name, request.files[name]);
	});
	return instance.callMain(request.words);
}

async function runCommand(module, request) {
	const start = performance.now(), out = collector(), error = collector();
	let status = 2;
	try {
		status = await runIn(module, request, out, error);
	} catch (thrown) {
		if (thrown && thrown.name === "ExitStatus")
			status = thrown.status;
		else /* no memory is left, or no stack */
			new TextEncoder().encode("parplan: the browser ended it: " + thrown + "\n").forEach(error.put);
	}
	return {
		id: request.id, status: status, out: out.text(), error: error.text(),
		milliseconds: performance.now() - start
	};
}

if (typeof WorkerGlobalScope !== "undefined") {
	let module = null;
	self.onmessage = async function (event) {
		if (!module)
			module = WebAssembly.compile(event.data);
		else
			self.postMessage(await runCommand(module, event.data));
	};
}
