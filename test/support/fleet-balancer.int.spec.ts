import { once } from "node:events";
import { createServer, type Server } from "node:http";

import { listen } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { startBalancer, type Balancer } from "./fleet-balancer.ts";

let servers: Server[];
let ports: readonly number[];
let balancer: Balancer;

beforeEach(async () => {
  servers = ["first", "second"].map((name) =>
    createServer((request, response) => {
      if (request.url === "/die") response.socket?.destroy();
      else response.writeHead(200, { connection: "close" }).end(name);
    }),
  );
  ports = await Promise.all(servers.map(listen));
  balancer = await startBalancer(ports);
});

afterEach(async () => {
  await balancer.close();
  for (const server of servers) server.close();
});

async function ask(path = "/"): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${String(balancer.port)}${path}`);
  return response.text();
}

it("uses the backends in turn", async () => {
  const answers = [await ask(), await ask(), await ask(), await ask()];
  expect(new Set(answers.slice(0, 2))).toEqual(new Set(["first", "second"]));
  expect(answers.slice(2)).toEqual(answers.slice(0, 2));
});

it("skips a backend that does not listen", async () => {
  const [first] = servers;
  first?.close();
  if (first !== undefined) await once(first, "close");
  expect([await ask(), await ask(), await ask()]).toEqual(["second", "second", "second"]);
});

it("ends a connection when its backend does, and continues", async () => {
  await expect(ask("/die")).rejects.toThrow(TypeError);
  expect(await ask()).toMatch(/first|second/);
});

it("ends every connection without a backend", async () => {
  for (const server of servers) {
    server.close();
    await once(server, "close");
  }
  await expect(ask()).rejects.toThrow(TypeError);
});
