/*
 * A headless Chromium, told what to do over a pipe in its DevTools protocol
 * (https://chromedevtools.github.io/devtools-protocol/): no library is needed.
 */
"use strict";
const {spawn} = require("child_process"), fs = require("fs"), os = require("os"), path = require("path");

/* Starts the browser; returns what tells it things. */
function openBrowser(program) {
	const profile = fs.mkdtempSync(path.join(os.tmpdir(), "parplan-browser-"));
	const child = spawn(program, ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
		"--user-data-dir=" + profile, "--no-first-run", "--hide-scrollbars", "about:blank"],
		{stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: {...process.env, HOME: profile}});
	const waiting = new Map(), heard = [];
	let next = 1, rest = "";
	child.stdio[4].setEncoding("utf8");
	child.stdio[4].on("data", function (text) {
		const messages = (rest + text).split("\0");
		rest = messages.pop();
		messages.map(JSON.parse).forEach(function (message) {
			if (!message.id) {
				heard.push(message);
				return;
			}
			const done = waiting.get(message.id);
			waiting.delete(message.id);
			message.error ? done.reject(new Error(JSON.stringify(message.error))) : done.resolve(message.result);
		});
	});
	return {
		heard: heard,
		send: function (method, params, session) {
			return new Promise(function (resolve, reject) {
				const id = next++;
				waiting.set(id, {resolve: resolve, reject: reject});
				child.stdio[3].write(JSON.stringify({id: id, method: method, params: params || {}, sessionId: session}) + "\0");
			});
		},
		close: function () {
			return new Promise(function (done) {
				child.on("exit", function () {
					fs.rmSync(profile, {recursive: true, force: true, maxRetries: 5});
					done();
				});
				child.kill();
			});
		}
	};
}

/* A tab of it: what is loaded, typed, looked at. */
async function openTab(browser) {
	const {targetId} = await browser.send("Target.createTarget", {url: "about:blank"});
	const {sessionId} = await browser.send("Target.attachToTarget", {targetId: targetId, flatten: true});
	const tell = function (method, params) { return browser.send(method, params, sessionId); };
	await tell("Page.enable");
	await tell("Runtime.enable");
	await tell("Log.enable");
	await tell("Network.enable");
	const tab = {
		tell: tell,
		/* What an expression gives; promises are waited for. */
		ask: async function (expression) {
			const answer = await tell("Runtime.evaluate", {expression: expression, awaitPromise: true, returnByValue: true});
			if (answer.exceptionDetails)
				throw new Error(expression + ": " + JSON.stringify(answer.exceptionDetails.exception || answer.exceptionDetails.text));
			return answer.result.value;
		},
		/* Until an expression holds. */
		until: async function (expression, seconds) {
			for (const end = Date.now() + (seconds || 60) * 1000; Date.now() < end;) {
				if (await tab.ask(expression))
					return;
				await new Promise(function (done) { setTimeout(done, 20); });
			}
			throw new Error("it never happened that " + expression);
		},
		size: function (width, height) {
			return tell("Emulation.setDeviceMetricsOverride", {width: width, height: height, deviceScaleFactor: 1, mobile: width < 600});
		},
		dark: function (dark) {
			return tell("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]});
		},
		key: async function (key) {
			const codes = {Tab: 9, ArrowRight: 39, ArrowLeft: 37, End: 35, Enter: 13};
			const what = {key: key, code: key, windowsVirtualKeyCode: codes[key]};
			await tell("Input.dispatchKeyEvent", {type: "keyDown", ...what, text: key === "Enter" ? "\r" : undefined});
			await tell("Input.dispatchKeyEvent", {type: "keyUp", ...what});
		},
		/* A picture of the page, whole or what a window shows. */
		picture: async function (file, whole) {
			const {data} = await tell("Page.captureScreenshot", {format: "png", captureBeyondViewport: Boolean(whole)});
			fs.writeFileSync(file, Buffer.from(data, "base64"));
		}
	};
	return tab;
}

module.exports = {openBrowser: openBrowser, openTab: openTab};
