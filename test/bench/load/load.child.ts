import { performance } from "node:perf_hooks";

import { callsPerSecond } from "../harness/callers.ts";
import { serveParent } from "../harness/child.ts";
import { nowUs } from "../harness/profile.ts";
import { HttpConnection } from "./http-connection.ts";
import { loadSchema, type Load, type LoadReport } from "./load.ts";

/** The load generator's process: one answer for each order. */
serveParent((question) => generate(loadSchema.parse(question)));

async function generate(load: Load): Promise<LoadReport> {
  const { port, clients, expectedStatus, apiKeys, warmUpMs, sampleMs } = load;
  const connections = Array.from({ length: clients }, () => new HttpConnection(port));
  const startUs = nowUs() + warmUpMs * 1_000;
  let answers = 0;
  const before = performance.eventLoopUtilization();
  try {
    const perSecond = await callsPerSecond(clients, { warmUpMs, sampleMs }, async (client, number) => {
      const turn = turnOf(load, client, number);
      const request = requestText(load, apiKeys[turn % apiKeys.length] ?? "", turn);
      const status = await connections[client]?.send(request);
      if (status !== expectedStatus) throw new Error(`${firstLine(request)} was answered ${String(status)}`);
      answers += 1;
    });
    const { utilization: busy } = performance.eventLoopUtilization(before);
    return { perSecond, answers, busy, startUs, endUs: startUs + sampleMs * 1_000 };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Chooses the server to renew. One client renews each server, so that no renewal overlaps the last one. */
function turnOf({ request, clients }: Load, client: number, number: number): number {
  if (request.kind !== "renew") return number;
  return client + clients * (number % Math.max(1, Math.floor(request.servers.length / clients)));
}

function requestText({ request }: Load, apiKey: string, number: number): string {
  const common = `Host: 127.0.0.1\r\nAuthorization: ${apiKey}\r\n`;
  if (request.kind === "get") return `GET ${request.path} HTTP/1.1\r\n${common}\r\n`;
  if (request.kind === "renew") {
    const server = request.servers[number % request.servers.length] ?? 0;
    return posted(`servers/${String(server)}/renew`, common, '{"duration":1}');
  }
  return posted("domains", common, `{"domain":"${request.prefix}-${String(number)}.com"}`);
}

function posted(path: string, headers: string, body: string): string {
  const length = `Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n`;
  return `POST /api/v1/${path} HTTP/1.1\r\n${headers}${length}\r\n${body}`;
}

function firstLine(request: string): string {
  return request.slice(0, request.indexOf("\r\n"));
}
