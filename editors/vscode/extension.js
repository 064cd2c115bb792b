"use strict";

const { existsSync } = require("node:fs");
const path = require("node:path");
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

/** Starts the language server of the first workspace folder that has fw installed. It serves all folders. */
exports.activate = async () => {
  const roots = (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const fw = roots
    .map((root) => path.join(root, "node_modules", "fw", "bin", "fw.js"))
    .find((file) => existsSync(file));
  if (fw === undefined) return;
  const languages = ["typescript", "typescriptreact", "html", "handlebars"];
  client = new LanguageClient(
    "fw",
    "fw",
    { command: "node", args: [fw, "lsp"] },
    { documentSelector: languages.map((language) => ({ scheme: "file", language })) },
  );
  await client.start();
};

exports.deactivate = () => client?.stop();
