// Starts `parplan lsp` for the files that may be configs of training jobs. What is found, offered and shown is the server's affair.
'use strict';
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

const languages = ['yaml', 'toml', 'json', 'jsonc', 'shellscript', 'python'];
let client;

async function start() {
  const settings = vscode.workspace.getConfiguration('parplan');
  const server = { command: settings.get('path'), args: ['lsp', ...settings.get('arguments')] };
  const documentSelector = languages.flatMap((language) => [
    { scheme: 'file', language },
    { scheme: 'untitled', language },
  ]);
  // TOML has no language of its own in VS Code without another extension.
  documentSelector.push({ scheme: 'file', pattern: '**/*.toml' });
  const watched = vscode.workspace.createFileSystemWatcher('**/{.parplan.yaml,*.yaml,*.yml,*.toml,*.json,requirements.txt,uv.lock}');
  client = new LanguageClient('parplan', 'parplan', server, { documentSelector, synchronize: { fileEvents: watched } });
  await client.start();
}

async function stop() {
  if (client) await client.stop();
  client = undefined;
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('parplan.restart', async () => {
      await stop();
      await start();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
