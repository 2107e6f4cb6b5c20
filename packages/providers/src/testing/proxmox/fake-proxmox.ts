import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";

import { listen } from "@hostledger/runtime/testing";

import { FakeCluster } from "./fake-cluster.ts";
import { ClusterRefusal, type Said } from "./fake-rules.ts";
import { labelledFault, type Fault, type FaultKind } from "./faults.ts";
import { documentedCall, violations } from "./proxmox-api.ts";

/** A fake Proxmox VE cluster behind real HTTPS, with documented answers and faults. */
export interface FakeProxmox extends AsyncDisposable {
  readonly url: string;
  /** SHA-256 of its self-signed certificate. */
  readonly fingerprint: string;
  readonly token: string;
  readonly cluster: FakeCluster;
  /** Deviations from the documented API; empty in a passing test. */
  readonly undocumented: readonly string[];
  /** `METHOD /path` of every request, refused ones included. */
  readonly requests: readonly string[];
  /** Every `Authorization` header received. */
  readonly authorizations: readonly string[];
  fail(fault: Fault): void;
}

const token = "hostledger@pve!orders=0c1c7a52-5b2f-4b7e-9c3a-2f1f7f6f8a11";
const hugeBytes = 10 * 1024 * 1024;

/** Starts a fake cluster on a free port. @param cluster contents of an earlier one; default: a new cluster */
export async function startFakeProxmox(cluster = new FakeCluster()): Promise<FakeProxmox> {
  // Imported here, because specs of services load this module without using it.
  const { generate } = await import("selfsigned");
  const pems = await generate([{ name: "commonName", value: "pve1.example" }], { keyType: "ec" });
  const faults: { fault: Fault; left: number }[] = [];
  const undocumented: string[] = [];
  const requests: string[] = [];
  const authorizations: string[] = [];

  const faultOf = (request: string): FaultKind | undefined => {
    const found = faults.find(({ fault, left }) => left > 0 && fault.request.test(request));
    if (found !== undefined) found.left -= 1;
    return found?.fault.kind;
  };
  const carryOut = ({ headers }: IncomingMessage, method: string, path: string, said: Said): unknown => {
    const { authorization = "" } = headers;
    authorizations.push(authorization);
    if (authorization !== `PVEAPIToken=${token}`) throw new ClusterRefusal(401, "invalid token value!");
    const call = documentedCall(method, path);
    if (call === undefined) {
      undocumented.push(`${method} ${path}`);
      throw new ClusterRefusal(501, `Method '${method} ${path}' not implemented`);
    }
    const wrong = [...violations(call.name, said)];
    if (wrong.length > 0) {
      undocumented.push(...wrong.map(([name, why]) => `${method} ${path}: ${name} ${why}`));
      throw new ClusterRefusal(400, "Parameter verification failed.");
    }
    return cluster.answer(call, said);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url = "" } = request;
    const address = new URL(url, "https://pve1.example");
    const path = address.pathname.replace(/^\/api2\/json/, "");
    const line = `${method} ${path}`;
    requests.push(line);
    const said = new Map([...address.searchParams, ...(await formOf(request))]);
    const fault = faultOf(line) ?? labelledFault(line, said);
    if (fault === "cut-before") return void request.socket.destroy();
    if (fault === "hang") return;
    if (fault !== undefined && fault !== "cut-after") {
      answerFault(response, fault);
      return;
    }
    try {
      const data = carryOut(request, method, path, said);
      if (fault === "cut-after") request.socket.destroy();
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data }));
    } catch (error) {
      if (!(error instanceof ClusterRefusal)) throw error;
      response
        .writeHead(error.status, error.message)
        .end(JSON.stringify({ data: null, message: error.message }));
    }
  };

  const server = createServer({ key: pems.private, cert: pems.cert }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      undocumented.push(String(error));
      response.destroy();
    });
  });
  const port = await listen(server);
  return {
    url: `https://127.0.0.1:${String(port)}`,
    fingerprint: new X509Certificate(pems.cert).fingerprint256,
    token,
    cluster,
    undocumented,
    requests,
    authorizations,
    fail: (fault) => faults.push({ fault, left: fault.times }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answerFault(
  response: ServerResponse,
  fault: Exclude<FaultKind, "cut-before" | "cut-after" | "hang">,
): void {
  if (typeof fault === "object")
    return void response
      .writeHead(fault.status, fault.message)
      .end(JSON.stringify({ data: null, message: fault.message }));
  switch (fault) {
    case "html":
      return void response
        .writeHead(200, { "content-type": "text/html" })
        .end("<!DOCTYPE html><title>Proxmox</title>");
    case "huge":
      return void response.writeHead(200).end(JSON.stringify({ data: "x".repeat(hugeBytes) }));
    case "redirect":
      return void response.writeHead(302, { location: "https://elsewhere.example/" }).end();
  }
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const parts: Buffer[] = [];
  for await (const part of request) if (Buffer.isBuffer(part)) parts.push(part);
  return new URLSearchParams(Buffer.concat(parts).toString("utf8"));
}
