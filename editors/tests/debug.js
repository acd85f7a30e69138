// The debug adapter, driven by the client that VS Code's own adapters are tested with:
// CHIARO=path/of/chiaro node debug.js FOLDER_OF_EXAMPLES
"use strict";

const assert = require("node:assert");
const path = require("node:path");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const command = process.env.CHIARO || "chiaro";
const examples = path.resolve(process.argv[2] || "../../examples");
const program = path.join(examples, "pica200/lamps.v.pica");
const inputs = path.join(examples, "pica200/lamps.json");

async function session(run) {
    const client = new DebugClient(command, "dap", "chiaro");
    await client.start();
    try {
        await run(client);
    } finally {
        await client.stop();
    }
}

const launch = { program, inputs, stopOnEntry: true };

const tests = {
    "capabilities are told": (client) =>
        client.initializeRequest().then((answer) => {
            assert.ok(answer.body.supportsStepBack && answer.body.supportsDisassembleRequest);
        }),
    "a launch stops on entry": (client) =>
        Promise.all([
            client.launch(launch),
            client.configurationSequence(),
            client.assertStoppedLocation("entry", { path: program, line: 19 }),
        ]),
    "a breakpoint is hit": (client) => client.hitBreakpoint({ ...launch, stopOnEntry: false }, { path: program, line: 24 }),
    "steps go forward and backward": async (client) => {
        await Promise.all([client.launch(launch), client.configurationSequence(), client.waitForEvent("stopped")]);
        const next = client.waitForEvent("stopped");
        await client.nextRequest({ threadId: 1 });
        await next;
        const { body } = await client.stackTraceRequest({ threadId: 1 });
        const back = client.waitForEvent("stopped");
        await client.stepBackRequest({ threadId: 1 });
        await back;
        const before = (await client.stackTraceRequest({ threadId: 1 })).body;
        assert.strictEqual(body.stackFrames[0].line, before.stackFrames[0].line + 1);
    },
    "a program runs to its end": (client) =>
        Promise.all([
            client.launch({ ...launch, stopOnEntry: false }),
            client.configurationSequence(),
            client.waitForEvent("terminated"),
        ]),
};

(async () => {
    for (const [name, run] of Object.entries(tests)) {
        await session(run);
        console.log(`ok: ${name}`);
    }
})().catch((error) => {
    console.error(error);
    process.exit(1);
});
