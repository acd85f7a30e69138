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
    "a register is set, and the program goes on with it": async (client) => {
        await Promise.all([client.launch(launch), client.configurationSequence(), client.waitForEvent("stopped")]);
        const move = async (request) => {
            const stopped = client.waitForEvent("stopped");
            await client.send(request, { threadId: 1, granularity: "instruction" });
            await stopped;
        };
        const held = async () => (await client.evaluateRequest({ expression: "r0.x", frameId: 1 })).body.result;
        await move("stepIn");
        await move("stepIn");
        const before = await held();
        await client.send("setExpression", { expression: "r0.x", value: "2.5", frameId: 1 });
        assert.ok((await held()).startsWith("2.5"));
        await move("stepBack");
        assert.strictEqual(await held(), before, "what was before stays");
        await move("stepIn");
        assert.ok((await held()).startsWith("2.5"));
    },
    "a program runs to its end": (client) =>
        Promise.all([
            client.launch({ ...launch, stopOnEntry: false }),
            client.configurationSequence(),
            client.waitForEvent("terminated"),
        ]),
};

// On each target: forward, and back to the same states.
const programs = {
    pica200: { program: "pica200/lamps.v.pica", inputs: "pica200/lamps.json" },
    "utgard-gp": { program: "utgard-gp/palette.vert", inputs: "utgard-gp/palette.json" },
    a3xx: { program: "glsl/phong.vert" },
    rdna: { program: "rdna/reduce.comp", inputs: "rdna/reduce.json" },
    agx: { program: "agx/scale.comp", inputs: "agx/scale.json" },
};

async function state(client) {
    const { stackFrames } = (await client.stackTraceRequest({ threadId: 1 })).body;
    const seen = [stackFrames[0].instructionPointerReference, stackFrames[0].line];
    for (const scope of (await client.scopesRequest({ frameId: stackFrames[0].id })).body.scopes) {
        const { variables } = (await client.variablesRequest({ variablesReference: scope.variablesReference })).body;
        seen.push(scope.name, ...variables.map((one) => `${one.name} ${one.value}`));
    }
    return seen.join("\n");
}

for (const [target, files] of Object.entries(programs)) {
    tests[`back is where one came from on ${target}`] = async (client) => {
        const arguments_ = { target, program: path.join(examples, files.program), stopOnEntry: true };
        if (files.inputs) {
            arguments_.inputs = path.join(examples, files.inputs);
        }
        await Promise.all([client.launch(arguments_), client.configurationSequence(), client.waitForEvent("stopped")]);
        const move = async (request) => {
            const stopped = client.waitForEvent("stopped");
            await client.send(request, { threadId: 1, granularity: "instruction" });
            await stopped;
            return state(client);
        };
        const forward = [await state(client)];
        for (let n = 0; n < 12; n += 1) {
            forward.push(await move("stepIn"));
        }
        forward.pop();
        for (const before of forward.reverse()) {
            assert.strictEqual(await move("stepBack"), before);
        }
    };
}

(async () => {
    for (const [name, run] of Object.entries(tests)) {
        await session(run);
        console.log(`ok: ${name}`);
    }
})().catch((error) => {
    console.error(error);
    process.exit(1);
});
