import { createServer } from "node:http";
import { join } from "node:path";

import { openEmbeddedEventStore } from "@hostledger/store";
import { listen } from "@hostledger/runtime/testing/listen";
import express, { type Request } from "express";
import { randomUUID } from "node:crypto";

import { serveParent } from "../harness/child.ts";
import { storeEdge } from "./accounts.ts";

/**
 * The least that an Express server can do for a request that must not be lost: parse its body, append one event
 * durably, answer. `node express-append.child.ts DIRECTORY`.
 */
const [directory = "."] = process.argv.slice(2);
const store = await openEmbeddedEventStore({ path: join(directory, "express-append.sqlite"), ...storeEdge });
const app = express();
app.use(express.json());
app.post("/api/v1/domains", async (request: Request, response) => {
  const id = randomUUID();
  const body: unknown = request.body;
  const data = JSON.stringify({ request: body, grossCents: "1190", at: storeEdge.now() });
  const { position } = await store.append(`request-${id}`, "no-stream", [
    { id, type: "Requested.v1", data, metadata: JSON.stringify({ correlationId: id }) },
  ]);
  response.status(201).json({ status: true, position: Number(position) });
});
const server = createServer(app);

serveParent(
  async () => ({ port: await listen(server) }),
  async () => {
    server.closeAllConnections();
    await store.close();
  },
);
