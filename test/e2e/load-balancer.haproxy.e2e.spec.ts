import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";

import { systemClock } from "@hostledger/runtime";
import { eventually, freePort, listen, temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { startInstanceProcess } from "../support/instance-process.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

/** The file of deploy/ as HAProxy takes it (Debian's haproxy; tools/setup installs it). */
const configuration = readFileSync(join(import.meta.dirname, "../../deploy/haproxy.cfg"), "utf8");

/** Simulates a container behind HAProxy. */
class Backend {
  readonly name: string;
  readonly server: Server;
  port = 0;
  readiness = 200;
  /** True to accept requests and end their connections without an answer. */
  isDying = false;
  /** Received requests, with the forwarded client address. */
  readonly asked: { readonly line: string; readonly forwardedFor: string }[] = [];

  constructor(name: string) {
    this.name = name;
    this.server = createServer(({ method, url, headers, socket }, response) => {
      if (url === "/readyz") {
        response.writeHead(this.readiness).end();
        return;
      }
      this.asked.push({
        line: `${method ?? ""} ${url ?? ""}`,
        forwardedFor: String(headers["x-forwarded-for"]),
      });
      if (this.isDying) socket.destroy();
      else response.end(name);
    });
  }

  async listen(): Promise<this> {
    this.port = await listen(this.server);
    return this;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, "close");
  }
}

const clock = systemClock();
const endings: (() => Promise<unknown>)[] = [];
let directory: ReturnType<typeof temporaryDirectory>;
let backends: Backend[];
let url: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  backends = await Promise.all(["replica-1", "replica-2", "audit"].map((name) => new Backend(name).listen()));
});
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  await Promise.all(backends.map((backend) => backend.close()));
  directory.remove();
});

const backend = (name: string): Backend => {
  const found = backends.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

/**
 * Runs HAProxy with the original file, except for addresses of this machine. A server whose name is not found is
 * down; so is one without a port.
 */
async function startBalancer(ports: ReadonlyMap<string, number>): Promise<void> {
  const port = await freePort();
  const adapted = configuration
    .replace(/^( +bind) :8080$/m, `$1 127.0.0.1:${String(port)}`)
    .replace(/^( +server (\S+)) \S+$/gm, (_, server: string, name: string) => {
      const found = ports.get(name);
      return found === undefined ? `${server} 127.0.0.1:1 disabled` : `${server} 127.0.0.1:${String(found)}`;
    });
  const file = join(directory.path, "haproxy.cfg");
  writeFileSync(file, adapted);
  const balancer = spawn("haproxy", ["-db", "-f", file], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [balancer.stdout, balancer.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(balancer, "close");
  endings.push(() => {
    balancer.kill("SIGKILL");
    return ended;
  });
  url = `http://127.0.0.1:${String(port)}`;
  await eventually(clock, async () => {
    if (balancer.exitCode !== null) throw new Error(`HAProxy ended: ${said}`);
    expect((await ask("GET", "/readyz")).status).toBe(200);
  });
}

interface Answer {
  /** Undefined where the connection was cut instead. */
  readonly status: number | undefined;
  readonly text: string;
}

async function ask(method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { method, headers }).catch(() => undefined);
  return { status: response?.status, text: (await response?.text()) ?? "" };
}

const many = (method: string): Promise<Answer[]> =>
  Promise.all(Array.from({ length: 20 }, (_, index) => ask(method, `/${String(index)}`)));

const portsOf = (...all: readonly Backend[]) => new Map(all.map(({ name, port }) => [name, port]));

it("the balancer sends requests to ready instances, and auditors to the audit service", async () => {
  await startBalancer(portsOf(...backends));
  const served = async () => new Set((await many("POST")).map(({ text }) => text));
  await eventually(clock, async () => {
    expect(await served()).toEqual(new Set(["replica-1", "replica-2"]));
  });
  backend("replica-1").readiness = 503;
  await eventually(clock, async () => {
    expect(await served()).toEqual(new Set(["replica-2"]));
  });
  backend("replica-2").readiness = 503;
  await eventually(clock, async () => {
    expect((await ask("GET", "/")).status).toBe(503);
  });
  for (const path of ["/audit", "/audit/log"]) expect((await ask("GET", path)).text).toBe("audit");
  backend("replica-2").readiness = 200;
  await eventually(clock, async () => {
    expect((await ask("GET", "/auditors")).text).toBe("replica-2");
  });
});

it("the balancer appends the client's address, despite a client's own header", async () => {
  await startBalancer(portsOf(backend("replica-1")));
  await ask("GET", "/", { "x-forwarded-for": "203.0.113.9" });
  const [asked] = backend("replica-1").asked;
  expect(asked?.forwardedFor).toMatch(/^(203\.0\.113\.9, )?127\.0\.0\.1$/);
});

it("the balancer retries reads and undelivered requests; a delivered order is left to the client", async () => {
  await startBalancer(portsOf(backend("replica-1"), backend("replica-2")));
  const dying = backend("replica-1");
  dying.isDying = true;
  const reads = await many("GET");
  expect(reads.filter(({ status }) => status !== 200)).toEqual([]);
  expect(dying.asked.length).toBeGreaterThan(0);

  for (const each of backends) each.asked.length = 0;
  const orders = await many("POST");
  const heard = backends.flatMap(({ asked }) => asked.map(({ line }) => line));
  expect(heard).toHaveLength(orders.length);
  expect(new Set(heard).size).toBe(orders.length);
  // HAProxy answers 502 to the first request of a connection, and cuts it at a later one.
  const unanswered = orders.filter(({ status }) => status === 502 || status === undefined);
  expect(unanswered).toHaveLength(dying.asked.length);

  // The dying server refuses connections and is not yet marked as down.
  await dying.close();
  const others = await many("POST");
  expect(others).toEqual(others.map(() => ({ status: 200, text: "replica-2" })));
});

it("a customer registers a name through the balancer", async () => {
  const instance = await startInstanceProcess(join(directory.path, "data"), {
    environment: { HOSTLEDGER_TRUSTED_PROXIES: "127.0.0.1/32" },
  });
  endings.push(() => instance.kill());
  const ports = new Map([["replica-3", Number(new URL(instance.baseUrl).port)]]);
  await startBalancer(ports);
  await sell(instance.staff, "com");
  const customer = await openCustomer(instance.staff, `${url}/api/v1`, { balanceCents: 10_000n });
  expect(await customer.post("/domains", { domain: "balanced.com" })).toMatchObject({ status: 201 });
  expect(await customer.get("/domains")).toMatchObject({ body: [{ domain_name: "balanced.com" }] });
});
