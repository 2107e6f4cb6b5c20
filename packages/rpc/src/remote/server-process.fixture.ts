import { realTiming } from "@hostledger/runtime/async";

import { serveThreeMethods } from "./three-methods.fixture.ts";

/**
 * A process for the tests of death and freezing: `node server-process.fixture.ts ANSWER_AFTER_MS`. It prints `listening URL`, and
 * `asked KIND OPERATION` for each call before it answers it.
 */
const answerAfterMs = Number(process.argv[2]);

const { url } = await serveThreeMethods(async (kind, { operationId }) => {
  process.stdout.write(`asked ${kind} ${String(operationId)}\n`);
  await realTiming.sleep(answerAfterMs);
});
process.stdout.write(`listening ${url}\n`);
// Ends the process if its parent has died.
process.stdin.on("end", () => process.exit()).resume();
