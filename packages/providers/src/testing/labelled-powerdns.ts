import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";

import { listen } from "@hostledger/runtime/testing";

import { behaviourOf } from "../sandbox/labels.ts";

/** A proxy of a PowerDNS API. */
export interface LabelledPowerdns {
  readonly url: URL;
  close(): Promise<void>;
}

const passedOn = ["x-api-key", "content-type", "accept"];

/** Opens a proxy of a PowerDNS API that refuses new zones as often as labels in their names demand. */
export async function openLabelledPowerdns(server: URL): Promise<LabelledPowerdns> {
  const refusals = new Map<string, number>();
  const isRefused = ({ method, url = "" }: IncomingMessage, body: string): boolean => {
    if (method !== "POST" || !url.endsWith("/zones")) return false;
    const name = nameIn(body);
    const before = refusals.get(name) ?? 0;
    refusals.set(name, before + 1);
    return before < behaviourOf(name).zoneRefusals;
  };

  const way = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const body = await textOf(request);
      if (isRefused(request, body)) {
        response.writeHead(422, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: "The zone is refused." }));
        return;
      }
      const headers = passedOn.flatMap((name) => {
        const value = request.headers[name];
        return typeof value === "string" ? [[name, value] as [string, string]] : [];
      });
      const answer = await fetch(new URL(request.url ?? "/", server), {
        method: request.method ?? "GET",
        headers,
        ...(body !== "" && { body }),
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(await answer.text());
    };
    // Simulates an unreachable server by closing the connection.
    pass().catch(() => response.destroy());
  });
  const port = await listen(way);
  return {
    url: new URL(`http://127.0.0.1:${String(port)}`),
    async close() {
      way.closeAllConnections();
      way.close();
      await once(way, "close");
    },
  };
}

function nameIn(body: string): string {
  const said: unknown = JSON.parse(body);
  return typeof said === "object" && said !== null && "name" in said ? String(said.name) : "";
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) if (Buffer.isBuffer(part)) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
