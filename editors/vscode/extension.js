// Starts `chiaro lsp` and `chiaro dap`. All facts are theirs.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function command() {
    return vscode.workspace.getConfiguration("chiaro").get("path") || "chiaro";
}

function options() {
    const targets = vscode.workspace.getConfiguration("chiaro").get("targets");
    return targets ? { targets } : {};
}

async function activate(context) {
    const languages = context.extension.packageJSON.contributes.languages.map((language) => language.id);
    client = new LanguageClient(
        "chiaro",
        { command: command(), args: ["lsp"] },
        {
            documentSelector: languages.map((language) => ({ language })),
            initializationOptions: options(),
        },
    );
    const changed = (event) => {
        if (event.affectsConfiguration("chiaro.targets")) {
            client.sendNotification("workspace/didChangeConfiguration", { settings: { chiaro: options() } });
        }
    };
    const adapter = {
        createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(command(), ["dap"]),
    };
    context.subscriptions.push(
        vscode.workspace.onDidChangeConfiguration(changed),
        vscode.debug.registerDebugAdapterDescriptorFactory("chiaro", adapter),
    );
    await client.start();
}

function deactivate() {
    return client?.stop();
}

module.exports = { activate, deactivate };
