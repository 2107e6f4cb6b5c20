import { connect, type Socket } from "node:net";

import { realTiming } from "@hostledger/runtime";
import { z } from "zod";

import {
  attack,
  continuationFlood,
  pingFlood,
  rapidReset,
  settingsFlood,
  type Flood,
} from "../../security/http2-attacker.fixture.ts";
import { serveParent } from "../harness/child.ts";

/** The attacker's process: begins an attack, and goes on with it until the next question. */
const questionSchema = z.object({ attack: z.string(), rpcPort: z.int(), restPort: z.int() });
type Question = z.infer<typeof questionSchema>;

const floods: ReadonlyMap<string, Flood> = new Map([
  ["rapid reset", rapidReset],
  ["settings", settingsFlood],
  ["pings", pingFlood],
  ["continuations", continuationFlood],
]);

let isAttacking = false;
let ended: Promise<void> = Promise.resolve();

serveParent(async (question) => {
  isAttacking = false;
  await ended;
  const asked = questionSchema.parse(question);
  if (asked.attack === "nothing") return;
  isAttacking = true;
  ended = carryOut(asked);
});

async function carryOut({ attack: what, rpcPort, restPort }: Question): Promise<void> {
  const flood = floods.get(what);
  if (flood !== undefined) await Promise.all([0, 1].map(() => again(() => attack(rpcPort, flood, 50_000))));
  else if (what === "hostile bodies") await Promise.all([0, 1].map(() => again(() => sendBody(restPort))));
  else await readNothing(restPort);
}

async function again(once: () => Promise<unknown>): Promise<void> {
  while (isAttacking) await once();
}

/** A body of the maximum size that is no JSON until its last byte. */
const body = `${"[".repeat(60_000)}x`;

async function sendBody(port: number): Promise<void> {
  const url = `http://127.0.0.1:${String(port)}/api/v1/domains`;
  const headers = { "content-type": "application/json", authorization: "hlk_1_1_guessed" };
  await (await fetch(url, { method: "POST", headers, body })).arrayBuffer();
}

/** Requests large answers without reading them. */
async function readNothing(port: number): Promise<void> {
  const request = "GET /docs/assets/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const sockets = Array.from({ length: 150 }, (): Socket => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined).pause();
    socket.write(request.repeat(8));
    return socket;
  });
  while (isAttacking) await realTiming.sleep(20);
  for (const socket of sockets) socket.destroy();
}
